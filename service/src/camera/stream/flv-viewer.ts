import { FLV_HEADER, writeTag, type FlvTag } from './flv-tag.ts'

const LONGEST_PAUSE_MILLISECONDS = 30_000

/** What a viewer needs before it can decode a keyframe. */
export type FlvHead = { metadata: FlvTag | undefined; sequence: FlvTag | undefined }

const NOTHING: FlvHead = { metadata: undefined, sequence: undefined }

type FlvViewerOptions = { maxBytes: number; now(): number }

/** The tags that wait for one client, which may be slower than the stream. */
export class FlvViewer {
  readonly #options: FlvViewerOptions
  #waiting: FlvTag[] = []
  #bytes = 0
  /** What the client has of the head of the stream. */
  #head = NOTHING
  /** Whether pictures are of use: from a keyframe on, until one has to be left out. */
  #isInStep = false
  #isOver = false
  #wake = Promise.withResolvers<void>()
  /** Since when the client has read nothing, though there was something; left-out tags count too. */
  #unreadSince: number | undefined

  constructor(options: FlvViewerOptions) {
    this.#options = options
  }

  /** Whether the client has read nothing for long, though there was something to read. */
  get isStuck(): boolean {
    const { now } = this.#options
    return now() - (this.#unreadSince ?? Infinity) > LONGEST_PAUSE_MILLISECONDS
  }

  /** Adds a picture; without room for it the client goes on with the next keyframe. */
  offer(picture: FlvTag, head: FlvHead): void {
    if (this.#bytes > 0 && this.#bytes + picture.body.length > this.#options.maxBytes) this.#skip()
    if (picture.kind === 'keyframe') this.#begin(head, picture)
    if (this.#isInStep) this.#add(picture)
  }

  /** Ends the stream of the client, without what waits. */
  end(): void {
    this.#isOver = true
    this.#waiting = []
    this.#bytes = 0
    this.#wake.resolve()
  }

  /** The bytes for the client, with timestamps that begin at 0. */
  async *read(): AsyncGenerator<Buffer> {
    yield FLV_HEADER
    let start: number | undefined
    while (!this.#isOver) {
      const tag = this.#take()
      if (tag === undefined) {
        await this.#wake.promise
        continue
      }
      start ??= tag.milliseconds
      yield writeTag(tag, tag.milliseconds - start)
    }
  }

  /** Adds what the client does not have yet of what a keyframe needs. */
  #begin({ metadata, sequence }: FlvHead, { milliseconds }: FlvTag): void {
    this.#isInStep = true
    if (metadata !== undefined && metadata !== this.#head.metadata)
      this.#add({ ...metadata, milliseconds })
    if (sequence !== undefined && sequence !== this.#head.sequence)
      this.#add({ ...sequence, milliseconds })
    this.#head = { metadata, sequence }
  }

  #add(tag: FlvTag): void {
    this.#unreadSince ??= this.#options.now()
    this.#waiting.push(tag)
    this.#bytes += tag.body.length
    this.#wake.resolve()
  }

  #skip(): void {
    this.#waiting = []
    this.#bytes = 0
    this.#isInStep = false
    // It may have been among what waited.
    this.#head = NOTHING
  }

  #take(): FlvTag | undefined {
    const tag = this.#waiting.shift()
    if (tag === undefined) {
      this.#wake = Promise.withResolvers()
      return undefined
    }
    this.#bytes -= tag.body.length
    this.#unreadSince = this.#waiting.length > 0 ? this.#options.now() : undefined
    return tag
  }
}
