import { setTimeout } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CameraEntry } from '../../domain/site/site-entry.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { OpenSource } from '../source/opened-source.ts'
import { keyOf, type Rendition } from './rendition.ts'
import type { StartFfmpeg } from './run-ffmpeg.ts'
import { Stream, type StreamClock, type StreamState } from './stream.ts'

/** A stream that nobody has asked for in this time makes room for another one. */
const ROOM_AFTER_MILLISECONDS = 8_000

/** For how long it is remembered that a source has to be transcoded. */
const REMEMBERED_MILLISECONDS = 3_600_000

const CHECK_MILLISECONDS = 1_000

export type StreamsOptions = {
  open: OpenSource
  start: StartFfmpeg
  maxStreams: number
  idleSeconds: number
  segmentSeconds: number
  log: Logger
  now(): number
  clock?: StreamClock
}

const MONOTONIC: StreamClock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) =>
    setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
}

/** The streams that play; each ends when nobody watches it any more. */
export class Streams implements AsyncDisposable {
  readonly #options: StreamsOptions
  readonly #streams = new Map<string, Stream>()
  readonly #closing = new Set<Promise<void>>()
  /** When sources that had to be transcoded are tried as they are again. */
  readonly #transcoded = new Map<string, number>()
  readonly #timer: NodeJS.Timeout
  readonly #clock: StreamClock
  #isClosed = false

  constructor(options: StreamsOptions) {
    this.#options = options
    this.#clock = options.clock ?? MONOTONIC
    this.#timer = setInterval(() => this.#endIdle(), CHECK_MILLISECONDS).unref()
  }

  /** The stream of a rendition of a camera, which is started unless it plays. */
  watch(camera: Pick<CameraEntry, 'id' | 'source'>, rendition: Rendition): Stream {
    const key = keyOf(camera, rendition)
    const known = this.#streams.get(key)
    if (known !== undefined) {
      known.use()
      return known
    }
    this.#makeRoom()
    const { open, start, segmentSeconds, log, now } = this.#options
    const stream = new Stream({
      name: nameOf(camera, rendition),
      rendition,
      // Later streams begin with higher numbers, since a segment takes longer than a second.
      firstNumber: Math.floor(now() / 1000),
      isTranscoded: (this.#transcoded.get(rendition.source) ?? -Infinity) > this.#clock.now(),
      open,
      start,
      segmentSeconds,
      log,
      clock: this.#clock,
    })
    this.#streams.set(key, stream)
    return stream
  }

  /** The stream of a rendition of a camera, if it plays; it is not kept by this. */
  find(camera: Pick<CameraEntry, 'id'>, rendition: Rendition): Stream | undefined {
    return this.#streams.get(keyOf(camera, rendition))
  }

  states(): StreamState[] {
    return Array.from(this.#streams.values(), ({ state }) => state)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const key of this.#streams.keys()) this.#end(key)
    await Promise.all(this.#closing)
  }

  /**
   * Ends a stream whose camera gives nothing, or the one that was unused longest, if that is long
   * enough; throws `unavailable` otherwise.
   */
  #makeRoom(): void {
    const { maxStreams, idleSeconds } = this.#options
    if (this.#isClosed) throw new RefusedError('unavailable', 'The service is stopping.')
    if (this.#streams.size < maxStreams) return
    const byUse = Array.from(this.#streams).toSorted(
      ([, one], [, other]) => other.idleMilliseconds - one.idleMilliseconds,
    )
    // One whose camera gives nothing plays for nobody; whoever asks for it again starts it again.
    const idle = byUse.find(
      ([, stream]) =>
        stream.state.state === 'waiting' || stream.idleMilliseconds >= ROOM_AFTER_MILLISECONDS,
    )
    if (idle !== undefined) return this.#end(idle[0])
    const sentence =
      maxStreams === 0
        ? 'This service plays no cameras: cameras.maxStreams is 0.'
        : `${maxStreams} streams play already, as many as cameras.maxStreams allows.`
    throw new RefusedError('unavailable', sentence, { retryAfterSeconds: idleSeconds })
  }

  #endIdle(): void {
    const longest = this.#options.idleSeconds * 1000
    for (const [key, stream] of this.#streams)
      if (stream.idleMilliseconds >= longest) this.#end(key)
    for (const [source, until] of this.#transcoded)
      if (until <= this.#clock.now()) this.#transcoded.delete(source)
  }

  #end(key: string): void {
    const stream = this.#streams.get(key)
    if (stream === undefined) return
    this.#streams.delete(key)
    const { rendition, isTranscoded } = stream
    if (isTranscoded)
      this.#transcoded.set(rendition.source, this.#clock.now() + REMEMBERED_MILLISECONDS)
    const closing = stream[Symbol.asyncDispose]().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }
}

/** What the log and health call a stream. */
function nameOf({ id, source }: Pick<CameraEntry, 'id' | 'source'>, rendition: Rendition): string {
  const isStandard = rendition.source !== source || rendition.height !== undefined
  return `camera ${id}${isStandard ? ' in standard definition' : ''}`
}
