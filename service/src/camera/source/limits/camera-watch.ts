import { RateLimit } from './rate-limit.ts'

/** What a camera may do to the service. */
export type CameraLimits = Readonly<{
  /** After so many seconds without a byte it is given up. */
  stallSeconds: number
  /** It may send so much, as an average. */
  maxMegabits: number
  /** Over so many seconds; left out: 5. */
  averageSeconds?: number
}>

/** The usual time of an average. */
export const AVERAGE_SECONDS = 5

/** Watches what a camera sends, and remembers the first reason why it gives nothing more. */
export class CameraWatch implements Disposable {
  readonly #limits: CameraLimits
  readonly #rate: RateLimit
  readonly #end: () => void
  readonly #timer: NodeJS.Timeout
  #failure: string | undefined
  #isHeld = false
  #isClosed = false

  /** `end` is called once, after a failure: it closes the connections to the camera. */
  constructor(limits: CameraLimits, end: () => void) {
    this.#limits = limits
    const { maxMegabits: megabits, averageSeconds: seconds = AVERAGE_SECONDS } = limits
    this.#rate = new RateLimit({ megabits, seconds })
    this.#end = end
    this.#timer = setTimeout(() => this.#stalled(), limits.stallSeconds * 1000).unref()
  }

  /** Why the camera gave nothing more: a sentence without secrets. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Whether the camera has failed, or is no longer needed. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Counts bytes of the stream. */
  received(bytes: number): void {
    this.count(bytes)
    this.sawLife()
  }

  /** Counts bytes, which may be of anything. */
  count(bytes: number): void {
    if (this.#rate.isExceededBy(bytes, performance.now()))
      this.fail(`The camera sent more than ${this.#limits.maxMegabits} Mbit/s.`)
  }

  /** Says that the camera has sent what it should. */
  sawLife(): void {
    if (!this.#isClosed) this.#timer.refresh()
  }

  /** Says that ffmpeg has enough for now: until it goes on, the camera need not send. */
  hold(): void {
    this.#isHeld = true
  }

  /** Says that the camera is to send again. */
  release(): void {
    this.#isHeld = false
    this.sawLife()
  }

  /** Remembers why the camera gives nothing more, and ends its connections. */
  fail(sentence: string): void {
    if (this.#isClosed) return
    this.#failure = sentence
    this[Symbol.dispose]()
    this.#end()
  }

  /** What happens from now on is no failure. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #stalled(): void {
    if (this.#isHeld) this.#timer.refresh()
    else this.fail(`The camera sent nothing for ${this.#limits.stallSeconds} seconds.`)
  }
}
