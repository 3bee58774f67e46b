import {
  FLV_HEADER,
  formatTag,
  isKeyframe,
  isMetadata,
  isSequenceHeader,
  type FlvTag,
} from './flv-tags.ts'

/** What waits for a slow viewer; beyond it the viewer goes on with the next keyframe. */
const WAITING_BYTES = 8 * 1024 * 1024

/** Tags since the newest keyframe are kept for viewers that join, unless they are more. */
const KEPT_BYTES = 16 * 1024 * 1024

/** The time between the last picture of one run of ffmpeg and the first of the next. */
const GAP_MILLISECONDS = 40

/** Gives the tags of one stream to any number of viewers, each from a keyframe on. */
export class FlvFanOut {
  readonly #viewers = new Set<Viewer>()
  #metadata: FlvTag | undefined
  #sequenceHeader: FlvTag | undefined
  /** The tags since the newest keyframe. */
  #kept: FlvTag[] = []
  #keptBytes = 0
  /** What is added to the times of this run of ffmpeg, so that times go on. */
  #offset: number | undefined = 0
  #lastTime = 0

  get viewers(): number {
    return this.#viewers.size
  }

  /** Adds a tag of ffmpeg. */
  add(tag: FlvTag): void {
    if (isMetadata(tag)) {
      this.#metadata = tag
      return
    }
    if (isSequenceHeader(tag)) {
      this.#sequenceHeader = tag
      for (const viewer of this.#viewers) viewer.add(tag)
      return
    }
    this.#offset ??= this.#lastTime + GAP_MILLISECONDS - tag.timestamp
    const timed = { ...tag, timestamp: tag.timestamp + this.#offset }
    this.#lastTime = Math.max(this.#lastTime, timed.timestamp)
    this.#keep(timed)
    for (const viewer of this.#viewers) viewer.add(timed)
  }

  /** Another run of ffmpeg begins: its times go on from those of the last one. */
  interrupt(): void {
    this.#offset = undefined
    this.#kept = []
    this.#keptBytes = 0
  }

  /** The bytes of a viewer, from the newest keyframe on, until the signal is aborted. */
  async *join(signal: AbortSignal): AsyncGenerator<Buffer> {
    const first = [this.#sequenceHeader, ...this.#kept].filter((tag) => tag !== undefined)
    const viewer = new Viewer(first)
    this.#viewers.add(viewer)
    const end = () => viewer.end()
    signal.addEventListener('abort', end, { once: true })
    try {
      yield FLV_HEADER
      if (this.#metadata !== undefined) yield* formatTag(this.#metadata, 0)
      if (!signal.aborted) yield* viewer.read()
    } finally {
      this.#viewers.delete(viewer)
      signal.removeEventListener('abort', end)
    }
  }

  #keep(tag: FlvTag): void {
    if (isKeyframe(tag)) {
      this.#kept = []
      this.#keptBytes = 0
    } else if (this.#kept.length === 0) return
    this.#kept.push(tag)
    this.#keptBytes += tag.data.length
    if (this.#keptBytes <= KEPT_BYTES) return
    this.#kept = []
    this.#keptBytes = 0
  }
}

/** What waits for one viewer. */
class Viewer {
  #waiting: FlvTag[]
  #bytes = 0
  /** The time that the viewer sees as 0: that of its first picture. */
  #start: number | undefined
  #isSkipping: boolean
  #isEnded = false
  #change = Promise.withResolvers<void>()

  constructor(first: FlvTag[]) {
    this.#waiting = first
    this.#isSkipping = !first.some(isKeyframe)
  }

  add(tag: FlvTag): void {
    if (isSequenceHeader(tag)) {
      // Pictures before it need the old one; a keyframe follows.
      this.#isSkipping = true
      this.#push(tag)
      return
    }
    if (this.#isSkipping && !isKeyframe(tag)) return
    if (this.#bytes + tag.data.length > WAITING_BYTES) {
      this.#waiting = this.#waiting.filter(isSequenceHeader).slice(-1)
      this.#bytes = 0
      this.#isSkipping = true
      if (!isKeyframe(tag)) return
    }
    this.#isSkipping = false
    this.#push(tag)
  }

  end(): void {
    this.#isEnded = true
    this.#change.resolve()
  }

  async *read(): AsyncGenerator<Buffer> {
    while (!this.#isEnded) {
      const [tag] = this.#waiting
      if (tag === undefined) {
        await this.#change.promise
        this.#change = Promise.withResolvers()
        continue
      }
      this.#waiting.shift()
      this.#bytes -= Math.min(tag.data.length, this.#bytes)
      yield* formatTag(tag, this.#timeOf(tag))
    }
  }

  #push(tag: FlvTag): void {
    this.#waiting.push(tag)
    this.#bytes += tag.data.length
    this.#change.resolve()
  }

  #timeOf(tag: FlvTag): number {
    if (isSequenceHeader(tag)) return Math.max(0, this.#lastTime)
    this.#start ??= tag.timestamp
    this.#lastTime = Math.max(0, tag.timestamp - this.#start)
    return this.#lastTime
  }

  #lastTime = 0
}
