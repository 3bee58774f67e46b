import type { Logger } from 'pino'
import { RefusedError } from '../../errors/refused-error.ts'
import type { FfmpegOutput } from '../ffmpeg/arguments.ts'
import { sentenceOf, SourceError } from '../source/opened-source.ts'
import { FlvFanOut } from './flv.ts'
import type { Rendition } from './rendition.ts'
import { runFfmpeg, type FfmpegRun, type RunOptions } from './run-ffmpeg.ts'
import { SegmentList } from './segment-list.ts'
import type { Segment } from './segmenter.ts'

/** A first segment that takes longer is a failure for the client that waits. */
const FIRST_SEGMENT_MILLISECONDS = 10_000

/** Seconds between attempts: doubled from the first to the longest while a camera gives nothing. */
const BACK_OFF_SECONDS = { first: 1, longest: 30 }

/** A run of this length was a success: the next failure begins with the shortest back-off. */
const GOOD_RUN_MILLISECONDS = 30_000

/** Segments whose newest one is older are no longer shown: what they show is not the present. */
const STALE_MILLISECONDS = 20_000

/** How many segments a playlist names, how many more are kept for slow clients, and their bytes. */
const SEGMENTS = { listed: 6, kept: 4, mostBytes: 64 * 1024 * 1024 }

/** No segment is longer or larger; the first one ends early, so that the first picture comes soon. */
const SEGMENT = { firstSeconds: 1, longestSeconds: 10, mostBytes: 16 * 1024 * 1024 }

export type StreamOptions = Pick<RunOptions, 'open' | 'start'> & {
  /** A segment ends at the first keyframe after this time. */
  segmentSeconds: number
  /** What the log calls it, such as `camera 3`. */
  name: string
  rendition: Rendition
  /** The number of the first segment; higher than any of an earlier stream of the camera. */
  firstNumber: number
  /** Whether the source had to be transcoded when it was played before. */
  isTranscoded: boolean
  log: Logger
  clock: StreamClock
}

/** How streams measure time. */
export type StreamClock = {
  /** Monotonic, in milliseconds. */
  now(): number
  /** Resolves after the time, or when the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

export type StreamState = {
  name: string
  state: 'starting' | 'running' | 'waiting'
  /** Seconds since somebody asked for it; 0 while somebody waits or reads FLV. */
  unusedSeconds: number
  /** Clients that read HTTP-FLV; those of HLS come and go with every request. */
  flvViewers: number
  /** How often ffmpeg was started again. */
  restarts: number
  /** Bytes of segments in memory. */
  bytes: number
  /** Why it does not run now; null while it does. */
  problem: string | null
}

/** One camera in one rendition, played by one ffmpeg for all viewers until it is disposed of. */
export class Stream implements AsyncDisposable {
  readonly rendition: Rendition
  readonly #options: StreamOptions
  readonly #stop = new AbortController()
  readonly #segments: SegmentList
  readonly #flv: FlvFanOut
  readonly #running: Promise<void>
  #state: StreamState['state'] = 'starting'
  #isTranscoded: boolean
  #restarts = 0
  /** The next segment is of another run of ffmpeg than the one before. */
  #isInterrupted = false
  #problem: string | undefined
  #run: FfmpegRun | undefined
  #lastUse: number
  #lastSegment = -Infinity
  /** Clients that wait for the first segment. */
  #waiting = 0
  /** Resolves at the next segment or failure. */
  #change = Promise.withResolvers<void>()

  constructor(options: StreamOptions) {
    this.#options = options
    this.rendition = options.rendition
    this.#isTranscoded = options.isTranscoded
    this.#segments = new SegmentList({
      ...SEGMENTS,
      firstNumber: options.firstNumber,
      targetSeconds: Math.ceil(options.segmentSeconds),
    })
    this.#flv = new FlvFanOut({ now: () => options.clock.now() })
    this.#lastUse = options.clock.now()
    this.#running = this.#runAll()
  }

  get isTranscoded(): boolean {
    return this.#isTranscoded
  }

  /** Milliseconds since the last request; 0 while somebody waits or reads FLV. */
  get idleMilliseconds(): number {
    if (this.#flv.viewers + this.#waiting > 0) this.use()
    return this.#options.clock.now() - this.#lastUse
  }

  get state(): StreamState {
    return {
      name: this.#options.name,
      state: this.#state,
      unusedSeconds: Math.round(this.idleMilliseconds / 1000),
      flvViewers: this.#flv.viewers,
      restarts: this.#restarts,
      bytes: this.#segments.bytes,
      problem: this.#problem ?? null,
    }
  }

  /** Somebody watches: the stream goes on. */
  use(): void {
    this.#lastUse = this.#options.clock.now()
  }

  /** The playlist; waits for the first segment. Throws `unavailable` with the reason if none comes. */
  async playlist(): Promise<string> {
    this.#forgetStale()
    await this.#waitFor(() => !this.#segments.isEmpty)
    return this.#segments.playlist() ?? ''
  }

  /** The segment of a name of the playlist; undefined for one that is gone or never was. */
  segment(name: string): Buffer | undefined {
    this.#forgetStale()
    return this.#segments.find(name)
  }

  /** FLV until the signal is aborted; throws `unavailable` with the reason if nothing comes. */
  async flv(signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    await this.#waitFor(() => this.#state === 'running')
    return this.#flv.join(signal)
  }

  /** MPEG-TS with the newest keyframe; undefined while there is none. */
  keyframe(): Buffer | undefined {
    return this.#run?.keyframe()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  #forgetStale(): void {
    if (this.#options.clock.now() - this.#lastSegment > STALE_MILLISECONDS) this.#segments.clear()
  }

  async #waitFor(isReady: () => boolean): Promise<void> {
    this.#waiting++
    try {
      await this.#waitUntil(isReady)
    } finally {
      this.#waiting--
    }
  }

  async #waitUntil(isReady: () => boolean): Promise<void> {
    const end = this.#options.clock.now() + FIRST_SEGMENT_MILLISECONDS
    while (!isReady()) {
      const rest = end - this.#options.clock.now()
      if (this.#problem !== undefined || this.#stop.signal.aborted || rest <= 0)
        throw this.#unavailable()
      const timer = new AbortController()
      const { promise } = this.#change
      await Promise.race([promise, this.#options.clock.wait(rest, timer.signal)])
      timer.abort()
    }
  }

  #unavailable(): RefusedError {
    const reason = this.#problem ?? 'The camera has sent no picture yet.'
    const retryAfterSeconds = BACK_OFF_SECONDS.first * 2
    return new RefusedError('unavailable', reason, { retryAfterSeconds })
  }

  #changed(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  /** Starts ffmpeg again and again, with a growing pause after failures, until the stream is stopped. */
  async #runAll(): Promise<void> {
    const { signal } = this.#stop
    let pause = BACK_OFF_SECONDS.first
    while (!signal.aborted) {
      const began = this.#options.clock.now()
      this.#state = 'starting'
      const outcome = await this.#runOnce()
      this.#run = undefined
      if (signal.aborted) break
      this.#restarts++
      this.#isInterrupted = !this.#segments.isEmpty
      this.#flv.interrupt()
      if (outcome === 'transcode') continue
      if (this.#options.clock.now() - began > GOOD_RUN_MILLISECONDS) pause = BACK_OFF_SECONDS.first
      this.#state = 'waiting'
      this.#changed()
      await this.#options.clock.wait(pause * 1000, signal)
      pause = Math.min(pause * 2, BACK_OFF_SECONDS.longest)
    }
    this.#changed()
  }

  /** Plays until ffmpeg ends; `transcode` when it has to begin again with another output. */
  async #runOnce(): Promise<'transcode' | 'ended'> {
    const { open, start, segmentSeconds, name, log, clock } = this.#options
    const { signal } = this.#stop
    try {
      await using source = await open(this.rendition.source, signal)
      const output = this.#output()
      const run = runFfmpeg({
        source,
        output,
        start,
        limits: { seconds: segmentSeconds, ...SEGMENT },
        signal,
        onSegment: (segment) => this.#publish(segment),
        onTag: (tag) => this.#flv.add(tag),
        monotonic: () => clock.now(),
      })
      this.#run = run
      const { isUnplayable, problem, detail } = await run.ended
      if (signal.aborted) return 'ended'
      if (isUnplayable) {
        log.info(`${name} sends no H.264 that browsers play: it is transcoded`)
        this.#isTranscoded = true
        return 'transcode'
      }
      // Where copying gives no picture at all, transcoding may, and the reverse.
      if (!run.hasSegments && source.failure() === undefined)
        this.#isTranscoded = output.kind === 'copy'
      this.#fail(source.failure() ?? problem, detail)
    } catch (error) {
      if (signal.aborted) return 'ended'
      if (!(error instanceof SourceError)) log.error(error, `${name} does not play`)
      this.#fail(sentenceOf(error), '')
    }
    return 'ended'
  }

  #output(): FfmpegOutput {
    const { height } = this.rendition
    return height !== undefined || this.#isTranscoded
      ? { kind: 'transcode', height }
      : { kind: 'copy' }
  }

  #publish(segment: Segment): void {
    const isDiscontinuity = segment.isDiscontinuity || this.#isInterrupted
    this.#isInterrupted = false
    this.#segments.add({ ...segment, isDiscontinuity })
    this.#lastSegment = this.#options.clock.now()
    this.#problem = undefined
    this.#state = 'running'
    this.#changed()
  }

  #fail(problem: string, detail: string): void {
    if (problem !== this.#problem)
      this.#options.log.warn({ detail }, `${this.#options.name} does not play: ${problem}`)
    this.#problem = problem
  }
}
