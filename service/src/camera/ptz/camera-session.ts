import type { CameraEntry } from '../../domain/site/site-entry.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { SourceError } from '../source/opened-source.ts'
import { OnvifCamera } from './onvif/onvif-camera.ts'
import { OnvifError } from './onvif/onvif-error.ts'

/** The address of a camera's host, resolved and checked once; throws a `SourceError` for one that is not allowed. */
export type Pin = (host: string, signal: AbortSignal) => Promise<string>

export type CameraSessionOptions = {
  camera: Pick<CameraEntry, 'id' | 'channelNo' | 'onvif'>
  pin: Pin
  log: { warn(details: object, sentence: string): void }
  now(): number
  /** The longest that one request to the camera takes. Default: five seconds. */
  answerMilliseconds?: number | undefined
  /** Aborts requests under way. */
  signal(): AbortSignal
}

const ANSWER_MILLISECONDS = 5_000
/** The clock of the camera and its host name are looked up again after this time. */
const SESSION_MILLISECONDS = 600_000
/** A camera that refuses its password is not asked for this time: many lock the user after a few attempts. */
const REFUSED_MILLISECONDS = 30_000

/** What is known of a camera from one command to the next: its address, its clock, its services. */
export class CameraSession {
  readonly #options: CameraSessionOptions
  #known: { opened: OnvifCamera; until: number } | undefined
  #refused: { message: string; until: number } | undefined

  constructor(options: CameraSessionOptions) {
    this.#options = options
  }

  /** Runs a command on the camera; throws a `RefusedError` that says why the camera does not do it. */
  async use<Result>(command: (opened: OnvifCamera) => Promise<Result>): Promise<Result> {
    const wasKnown = this.#find() !== undefined
    try {
      return await command(await this.#open())
    } catch (error) {
      if (!wasKnown || !isUnauthorized(error)) throw this.#toRefusal(error)
    }
    // The clock of the camera may have been set, which makes the digest of the password wrong.
    this.#known = undefined
    try {
      return await command(await this.#open())
    } catch (error) {
      throw this.#toRefusal(error)
    }
  }

  #find(): OnvifCamera | undefined {
    if (this.#known !== undefined && performance.now() >= this.#known.until) this.#known = undefined
    return this.#known?.opened
  }

  async #open(): Promise<OnvifCamera> {
    const known = this.#find()
    if (known !== undefined) return known
    if (this.#refused !== undefined && performance.now() < this.#refused.until)
      throw this.#refuse(this.#refused.message)
    const opened = await this.#openNew()
    this.#known = { opened, until: performance.now() + SESSION_MILLISECONDS }
    return opened
  }

  async #openNew(): Promise<OnvifCamera> {
    const { camera, pin, now, signal, answerMilliseconds = ANSWER_MILLISECONDS } = this.#options
    const url = URL.parse(camera.onvif ?? '')
    if (url === null)
      throw new RefusedError('invalid', `The ONVIF address of camera ${camera.id} is not valid.`)
    const late = AbortSignal.any([signal(), AbortSignal.timeout(answerMilliseconds)])
    const address = await pin(url.hostname.replace(/^\[|\]$/g, ''), late)
    const options = { url, address, now, signal, answerMilliseconds }
    return OnvifCamera.open(options, camera.channelNo)
  }

  /** Asks for everything again after anything but a fault, which says that the camera works. */
  #toRefusal(error: unknown): unknown {
    if (error instanceof SourceError) return this.#refuse(`cannot be reached: ${error.message}`)
    if (!(error instanceof OnvifError)) return error
    const { failure, message, detail } = error
    if (failure !== 'fault') this.#known = undefined
    if (failure === 'unauthorized')
      this.#refused = { message, until: performance.now() + REFUSED_MILLISECONDS }
    const refusal = this.#refuse(message)
    if (detail !== undefined)
      this.#options.log.warn({ camera: this.#options.camera.id, detail }, refusal.message)
    return refusal
  }

  #refuse(what: string): RefusedError {
    const sentence = `Camera ${this.#options.camera.id} ${what}`
    return new RefusedError('unavailable', sentence.endsWith('.') ? sentence : `${sentence}.`)
  }
}

const isUnauthorized = (error: unknown): boolean =>
  error instanceof OnvifError && error.failure === 'unauthorized'
