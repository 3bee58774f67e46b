import { formatPlaylist, type ListedSegment } from './playlist.ts'
import type { Segment } from './segmenter.ts'

type SegmentListOptions = {
  /** The number of the first segment, larger than any before it. */
  readonly firstNumber: number
  /** What the playlist says at least. */
  readonly targetSeconds: number
  /** How many of the newest segments the playlist has. */
  readonly listed: number
  /** How many older ones are kept for slow clients. */
  readonly kept: number
  /** All kept segments together; only the newest one may have more. */
  readonly mostBytes: number
}

type NumberedSegment = ListedSegment & { readonly number: number; readonly bytes: Buffer }

/** The newest segments of a stream, by their names. */
export class SegmentList {
  readonly #options: SegmentListOptions
  readonly #segments: NumberedSegment[] = []
  #nextNumber: number
  // NOTE: hls.js 1.7 stops the page for ever when this begins with a large number.
  #discontinuities = 0
  #targetSeconds: number
  #bytes = 0

  constructor(options: SegmentListOptions) {
    this.#options = options
    this.#nextNumber = options.firstNumber
    this.#targetSeconds = options.targetSeconds
  }

  /** The number that the next segment gets. */
  get nextNumber(): number {
    return this.#nextNumber
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0
  }

  /** How many bytes are kept. */
  get bytes(): number {
    return this.#bytes
  }

  add({ bytes, seconds, isDiscontinuity }: Segment): void {
    const number = this.#nextNumber++
    this.#segments.push({ number, name: `${number}.ts`, bytes, seconds, isDiscontinuity })
    this.#bytes += bytes.length
    this.#targetSeconds = Math.max(this.#targetSeconds, Math.ceil(seconds))
    const { listed, kept, mostBytes } = this.#options
    while (
      this.#segments.length > listed + kept ||
      (this.#bytes > mostBytes && this.#segments.length > 1)
    )
      this.#drop()
  }

  find(name: string): Buffer | undefined {
    return this.#segments.find((segment) => segment.name === name)?.bytes
  }

  /** The playlist of the newest segments; undefined without one. */
  playlist(): string | undefined {
    const listed = this.#segments.slice(-this.#options.listed)
    const [first] = listed
    if (first === undefined) return undefined
    const unlisted = this.#segments.slice(0, -listed.length)
    return formatPlaylist({
      mediaSequence: first.number,
      discontinuitySequence: this.#discontinuities + countDiscontinuities(unlisted),
      targetSeconds: this.#targetSeconds,
      segments: listed,
    })
  }

  /** Forgets all segments: they are too old to be shown as live. */
  clear(): void {
    while (!this.isEmpty) this.#drop()
  }

  #drop(): void {
    const dropped = this.#segments.shift()
    if (dropped === undefined) return
    this.#bytes -= dropped.bytes.length
    this.#discontinuities += countDiscontinuities([dropped])
  }
}

const countDiscontinuities = (segments: readonly ListedSegment[]): number =>
  segments.filter(({ isDiscontinuity }) => isDiscontinuity).length
