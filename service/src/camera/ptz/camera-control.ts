import { SerialQueue } from '../../concurrency/serial-queue.ts'
import type { CameraEntry } from '../../domain/site/site-entry.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { toError } from '../../errors/thrown.ts'
import { CameraSession, type CameraSessionOptions } from './camera-session.ts'
import type { OnvifCamera, Preset, Velocity } from './onvif/onvif-camera.ts'
import { isRefused } from './onvif/onvif-error.ts'

export type CameraControlOptions = Omit<CameraSessionOptions, 'signal'> & {
  camera: Pick<CameraEntry, 'id' | 'channelNo' | 'onvif'>
}

export type Movement = Velocity & { seconds: number }

/** Whether a movement began, or a later command came in its place before it did. */
export type MovementState = 'moving' | 'replaced'

/** Commands of one camera that wait or run. More may come that stop it. */
const MOST_COMMANDS = 8
const MOST_WITH_STOPS = 16
const STOP_ATTEMPTS = 5
const STOP_PAUSE_MILLISECONDS = 1_000

/**
 * Moves one camera, one command after the other. A movement ends after its time, whether or not its client
 * is still there, by a timer here and by one in the camera; a later movement takes its place.
 */
export class CameraControl implements AsyncDisposable {
  readonly #options: CameraControlOptions
  readonly #session: CameraSession
  readonly #commands = new SerialQueue()
  /** Counts what moves or stops the camera: only the latest does. */
  #latest = 0
  /** Whether the camera may be in a movement that has to be stopped. */
  #isMoving = false
  #stopTimer: NodeJS.Timeout | undefined
  #abort = new AbortController()
  #isClosed = false

  constructor(options: CameraControlOptions) {
    this.#options = options
    this.#session = new CameraSession({ ...options, signal: () => this.#abort.signal })
  }

  async move({ seconds, ...velocity }: Movement): Promise<MovementState> {
    const state = await this.#drive(MOST_COMMANDS, async (opened, turn) => {
      const wasMoving = this.#isMoving
      this.#isMoving = true
      try {
        await opened.move(velocity, seconds)
      } catch (error) {
        // A camera that does not answer may have begun to move.
        if (isRefused(error)) this.#isMoving = wasMoving
        throw error
      }
      this.#stopAfter(seconds * 1000, turn)
      return 'moving' as const
    })
    return state ?? 'replaced'
  }

  /** Ends a movement at once. */
  async stop(): Promise<void> {
    await this.#drive(MOST_WITH_STOPS, async (opened) => {
      this.#isMoving = true
      await opened.stop()
      this.#isMoving = false
    })
  }

  listPresets(): Promise<Preset[]> {
    return this.#run(MOST_COMMANDS, (opened) => opened.listPresets())
  }

  /** Moves to a preset; throws `absent` for a token that the camera does not list. */
  async goToPreset(token: string): Promise<MovementState> {
    const state = await this.#drive(MOST_COMMANDS, async (opened) => {
      await this.#findPreset(opened, token)
      await opened.goToPreset(token)
      this.#isMoving = false
      return 'moving' as const
    })
    return state ?? 'replaced'
  }

  /** Stores the present position; one of the same name is replaced. */
  savePreset(name: string): Promise<Preset> {
    return this.#run(MOST_COMMANDS, async (opened) => {
      const present = (await opened.listPresets()).find((preset) => preset.name === name)
      return { token: await opened.savePreset(name, present?.token), name }
    })
  }

  /** Removes a preset; throws `absent` for a token that the camera does not list. */
  async removePreset(token: string): Promise<void> {
    await this.#run(MOST_COMMANDS, async (opened) => {
      await this.#findPreset(opened, token)
      await opened.removePreset(token)
    })
  }

  /** Ends the commands under way, and stops a camera that moves. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#supersede()
    this.#abort.abort()
    await this.#commands
      .run(async () => {
        this.#abort = new AbortController()
        if (this.#isMoving) await this.#session.use((opened) => opened.stop())
      })
      .catch((error: unknown) => this.#warn(error))
  }

  /** Takes the place of the movement before, whose stop must not end the next one. */
  #supersede(): number {
    clearTimeout(this.#stopTimer)
    return ++this.#latest
  }

  /**
   * Runs a command that moves or stops the camera in place of the one before; undefined where a later one
   * came in its place. A movement is stopped when the command that came in its place fails.
   */
  async #drive<Result>(
    most: number,
    command: (opened: OnvifCamera, turn: number) => Promise<Result>,
  ): Promise<Result | undefined> {
    this.#requireRoom(most)
    const turn = this.#supersede()
    try {
      return await this.#run(most, async (opened) =>
        turn === this.#latest ? command(opened, turn) : undefined,
      )
    } catch (error) {
      if (this.#isMoving) this.#stopAfter(0, turn)
      throw error
    }
  }

  #stopAfter(milliseconds: number, turn: number, attempt = 1): void {
    if (turn !== this.#latest) return
    this.#stopTimer = setTimeout(() => void this.#stopMovement(turn, attempt), milliseconds)
  }

  async #stopMovement(turn: number, attempt: number): Promise<void> {
    try {
      await this.#commands.run(async () => {
        if (turn !== this.#latest) return
        await this.#session.use((opened) => opened.stop())
        this.#isMoving = false
      })
    } catch (error) {
      if (attempt < STOP_ATTEMPTS) this.#stopAfter(STOP_PAUSE_MILLISECONDS, turn, attempt + 1)
      else this.#warn(error)
    }
  }

  async #run<Result>(
    most: number,
    command: (opened: OnvifCamera) => Promise<Result>,
  ): Promise<Result> {
    this.#requireRoom(most)
    return this.#commands.run(() => {
      this.#requireOpen()
      return this.#session.use(command)
    })
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new RefusedError('unavailable', 'The service is stopping.')
  }

  #requireRoom(most: number): void {
    this.#requireOpen()
    if (this.#commands.length < most) return
    const { id } = this.#options.camera
    throw new RefusedError('unavailable', `Too many commands wait for camera ${id}.`, {
      retryAfterSeconds: 1,
    })
  }

  async #findPreset(opened: OnvifCamera, token: string): Promise<void> {
    if ((await opened.listPresets()).some((preset) => preset.token === token)) return
    const { id } = this.#options.camera
    throw new RefusedError('absent', `Camera ${id} has no preset ${JSON.stringify(token)}.`)
  }

  #warn(error: unknown): void {
    const { camera, log } = this.#options
    const why = toError(error).message
    log.warn({ camera: camera.id }, `A movement could not be stopped, and ends by itself: ${why}`)
  }
}
