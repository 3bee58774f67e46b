import { FLV_HEADER, readTag, TAG_END, TAG_HEADER, TIME_RANGE, type FlvTag } from './flv-tag.ts'
import { FlvViewer, type FlvHead } from './flv-viewer.ts'
import { GrowingBytes } from './growing-bytes.ts'

const SIGNATURE = FLV_HEADER.subarray(0, 3)
/** A tag of this size holds no picture of a camera. */
const LARGEST_BYTES = 8 * 1024 * 1024
/** What waits for a client that is slow, unless told otherwise. */
const WAITING_BYTES = 8 * 1024 * 1024
/** A longer pause between two pictures is not played. */
const LONGEST_PICTURE_MILLISECONDS = 10_000
const USUAL_PICTURE_MILLISECONDS = 40

/** Reads the tags of H.264 from FLV. */
export class FlvReader {
  readonly #options: { onTag(tag: FlvTag): void }
  readonly #bytes = new GrowingBytes()
  #hasBegun = false
  #isDamaged = false

  constructor(options: { onTag(tag: FlvTag): void }) {
    this.#options = options
  }

  /** Takes what ffmpeg writes, cut anywhere; what follows damage is not read. */
  push(chunk: Buffer): void {
    if (this.#isDamaged) return
    this.#bytes.append(chunk)
    const end = this.#readAll()
    this.#bytes.drop(this.#isDamaged ? this.#bytes.length : end)
  }

  /** Reads what is whole, and returns where the rest begins. */
  #readAll(): number {
    const bytes = this.#bytes.view(0)
    let at = 0
    if (!this.#hasBegun) {
      if (bytes.length < FLV_HEADER.length) return 0
      this.#hasBegun = true
      this.#isDamaged = !bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)
      at = FLV_HEADER.length
    }
    while (!this.#isDamaged && bytes.length - at >= TAG_HEADER) {
      const length = TAG_HEADER + bytes.readUIntBE(at + 1, 3)
      this.#isDamaged = length > LARGEST_BYTES
      if (this.#isDamaged || bytes.length - at < length + TAG_END) break
      this.#isDamaged = bytes.readUInt32BE(at + length) !== length
      const tag = this.#isDamaged ? undefined : readTag(bytes.subarray(at, at + length))
      if (tag !== undefined) this.#options.onTag(tag)
      at += length + TAG_END
    }
    return at
  }
}

type FlvFanOutOptions = {
  /** The most bytes that wait for a client. */
  maxBytes?: number
  /** A monotonic clock in milliseconds. */
  now(): number
}

/** Hands the tags of one stream to any number of clients, none of which waits for another. */
export class FlvFanOut {
  readonly #options: Required<FlvFanOutOptions>
  readonly #viewers = new Set<FlvViewer>()
  readonly #clock = new TagClock()
  #head: FlvHead = { metadata: undefined, sequence: undefined }
  /** The pictures since the newest keyframe; none if they are too large to wait for a client. */
  #group: FlvTag[] = []
  #groupBytes = 0
  /** Whether a keyframe has come since the stream began or was described anew. */
  #isInStep = false

  constructor({ maxBytes = WAITING_BYTES, now }: FlvFanOutOptions) {
    this.#options = { maxBytes, now }
  }

  get viewers(): number {
    return this.#viewers.size
  }

  add(tag: FlvTag): void {
    if (tag.kind === 'metadata' || tag.kind === 'sequence') this.#describe(tag.kind, tag)
    else this.#addPicture({ ...tag, milliseconds: this.#clock.advance(tag.milliseconds) })
  }

  /** The next tags are of another run of ffmpeg; for clients, time goes on. */
  interrupt(): void {
    this.#clock.interrupt()
    this.#awaitKeyframe()
  }

  /**
   * The bytes for a client: what describes the stream, then pictures from the newest keyframe on.
   *
   * They end with the signal, or when the client leaves bytes unread for 30 s; the connection of a
   * client that does not read is closed by who writes to it.
   */
  async *join(signal: AbortSignal): AsyncGenerator<Buffer> {
    if (signal.aborted) return
    const viewer = new FlvViewer(this.#options)
    const end = (): void => viewer.end()
    signal.addEventListener('abort', end)
    this.#viewers.add(viewer)
    for (const picture of this.#group) viewer.offer(picture, this.#head)
    try {
      yield* viewer.read()
    } finally {
      signal.removeEventListener('abort', end)
      this.#viewers.delete(viewer)
    }
  }

  #describe(kind: keyof FlvHead, tag: FlvTag): void {
    if (this.#head[kind]?.body.equals(tag.body) === true) return
    this.#head = { ...this.#head, [kind]: tag }
    // Pictures before the next keyframe need the sequence parameters that are replaced.
    if (kind === 'sequence') this.#awaitKeyframe()
  }

  #awaitKeyframe(): void {
    this.#isInStep = false
    this.#group = []
  }

  #addPicture(picture: FlvTag): void {
    if (this.#head.sequence === undefined) return
    if (picture.kind === 'keyframe') this.#isInStep = true
    if (!this.#isInStep) return
    this.#keep(picture)
    for (const viewer of this.#viewers) {
      viewer.offer(picture, this.#head)
      if (!viewer.isStuck) continue
      viewer.end()
      this.#viewers.delete(viewer)
    }
  }

  #keep(picture: FlvTag): void {
    const isKeyframe = picture.kind === 'keyframe'
    this.#groupBytes = (isKeyframe ? 0 : this.#groupBytes) + picture.body.length
    if (isKeyframe) this.#group = [picture]
    else if (this.#groupBytes <= this.#options.maxBytes) this.#group.push(picture)
    else this.#group = []
  }
}

/** The time of the pictures of a stream, which goes on over gaps and over runs of ffmpeg. */
class TagClock {
  #milliseconds = 0
  #last: number | undefined

  advance(milliseconds: number): number {
    const last = this.#last ?? milliseconds - USUAL_PICTURE_MILLISECONDS
    const step = (milliseconds - last + TIME_RANGE) % TIME_RANGE
    const isGap = step > LONGEST_PICTURE_MILLISECONDS
    this.#milliseconds += isGap ? USUAL_PICTURE_MILLISECONDS : step
    this.#last = milliseconds
    return this.#milliseconds
  }

  /** The next picture follows the last one. */
  interrupt(): void {
    this.#last = undefined
  }
}
