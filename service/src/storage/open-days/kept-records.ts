import { crc32 } from 'node:zlib'
import { findInstant, findRecord } from '../../domain/records/record-list.ts'
import { combineCrc32 } from '../../encodings/crc32.ts'
import { deflateSmall, inflateText } from '../../encodings/deflate-small.ts'
import type { DeflatedText } from '../stores/records.ts'
import { STRETCH_BYTES, type Division } from './divide-records.ts'

/** Consecutive records that are compressed by themselves. */
type Stretch = {
  /** The places of its first record, and of the one after its last. */
  from: number
  to: number
  /** Its compressed bytes, without the comma before. */
  start: number
  end: number
  /** Where its text begins and ends among all texts, and the CRC-32 of all up to there. */
  textStart: number
  textEnd: number
  crcBefore: number
  crc: number
}

type Cut = { stretch: Stretch; first: number; last: number; text: Uint8Array; cut: DeflatedText }

/** A stored block with a comma, which is not the last one (RFC 1951, 3.2.4). */
const COMMA = Uint8Array.of(0, 1, 0, 0xfe, 0xff, 0x2c)

/** About what the object of a stretch takes, and all others of a day. */
const STRETCH_OBJECT_BYTES = 120
const DAY_OBJECT_BYTES = 800

/** The texts of the tail and of the stretch that was divided last, and their compressed forms. */
const EDGE_BYTES = 3 * STRETCH_BYTES

const EMPTY = Buffer.alloc(0)

/**
 * Records of a day in the order of their instants: most in compressed stretches, one behind the other
 * with commas between, and the last ones as text. Records are only appended.
 */
export class KeptRecords {
  /** In milliseconds from `origin` on, of all records. */
  #times = new Uint32Array(16)
  #count = 0
  readonly #origin: number
  readonly #stretches: Stretch[] = []
  /** Shared memory is not released with the response that it was sent in. */
  #bytes = new Uint8Array(new SharedArrayBuffer(0))
  #used = 0
  #tail: Uint8Array = EMPTY
  #deflatedTail: DeflatedText | undefined
  /** The records of a stretch that a window divided last. */
  #lastCut: Cut | undefined

  /** Instants lie after `origin` by less than 49 days. */
  constructor(origin: number) {
    this.#origin = origin
  }

  get count(): number {
    return this.#count
  }

  /** The text of the records after the last stretch. */
  get tail(): Uint8Array {
    return this.#tail
  }

  /** About how much memory they take. */
  get size(): number {
    const objects = DAY_OBJECT_BYTES + this.#stretches.length * STRETCH_OBJECT_BYTES
    return objects + this.#bytes.length + this.#times.byteLength + EDGE_BYTES
  }

  /**
   * Appends records: `division` is of the tail and of their text together, `stretches` are the
   * compressed texts of its pieces.
   */
  append(
    times: readonly number[],
    { pieces, rest }: Division,
    stretches: readonly DeflatedText[],
  ): void {
    if (times.length === 0) return
    this.#addTimes(times)
    this.#reserve(stretches)
    for (const [at, { count }] of pieces.entries()) this.#addStretch(count, stretches[at]!)
    this.#tail = Buffer.from(rest)
    this.#deflatedTail = undefined
  }

  /** The place of the first record that is not before an instant. */
  placeOf(instant: number): number {
    return findInstant(this.#times.subarray(0, this.#count), instant - this.#origin)
  }

  /** The records from one place to another, the latter not included, in order. */
  chunks(from: number, to: number): DeflatedText[] {
    if (from >= to) return []
    const tailFrom = this.#stretches.at(-1)?.to ?? 0
    const chunks: DeflatedText[] = []
    let first = this.#stretches.findIndex((stretch) => stretch.to > from)
    if (first !== -1) {
      const last = this.#stretches.findLastIndex((stretch) => stretch.from < to)
      let [whole, end] = [this.#stretches[first]!, last]
      if (whole.from < from || whole.to > to) {
        chunks.push(this.#cut(whole, from, to))
        first++
      }
      const cut = this.#stretches[end]!
      const isCut = end >= first && cut.to > to
      if (isCut) end--
      if (end >= first) chunks.push(this.#text(first, end))
      if (isCut) chunks.push(this.#cut(cut, cut.from, to))
    }
    if (to > tailFrom) chunks.push(this.#cutTail(from - tailFrom, to - tailFrom))
    return chunks
  }

  #addTimes(times: readonly number[]): void {
    const count = this.#count + times.length
    if (count > this.#times.length) {
      const grown = new Uint32Array(Math.max(count, Math.ceil(this.#count * 1.5)))
      grown.set(this.#times)
      this.#times = grown
    }
    for (const time of times) this.#times[this.#count++] = time - this.#origin
  }

  /** Bytes that responses are sending stay where they are. */
  #reserve(stretches: readonly DeflatedText[]): void {
    const size = stretches.reduce(
      (sum, { deflated }) => sum + COMMA.length + deflated.length,
      this.#used,
    )
    if (size <= this.#bytes.length) return
    const room = Math.max(size, Math.ceil(this.#used * 1.25))
    const grown = new Uint8Array(new SharedArrayBuffer(room))
    grown.set(this.#bytes.subarray(0, this.#used))
    this.#bytes = grown
  }

  #addStretch(count: number, { deflated, length, crc }: DeflatedText): void {
    const before = this.#stretches.at(-1)
    if (before !== undefined) this.#add(COMMA)
    const start = this.#used
    this.#add(deflated)
    const from = before?.to ?? 0
    const textStart = before === undefined ? 0 : before.textEnd + 1
    const crcBefore = before === undefined ? 0 : crc32(',', before.crc)
    this.#stretches.push({
      from,
      to: from + count,
      start,
      end: this.#used,
      textStart,
      textEnd: textStart + length,
      crcBefore,
      crc: combineCrc32(crcBefore, crc, length),
    })
  }

  #add(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#used)
    this.#used += bytes.length
  }

  /** All records of some stretches. */
  #text(first: number, last: number): DeflatedText {
    const { start, textStart, crcBefore } = this.#stretches[first]!
    const { end, textEnd, crc } = this.#stretches[last]!
    const length = textEnd - textStart
    // The CRC-32 of a text is that of what ends with it, with what comes before shifted and added.
    return {
      deflated: this.#bytes.subarray(start, end),
      length,
      crc: combineCrc32(crcBefore, crc, length),
    }
  }

  /** Some records of a stretch. */
  #cut(stretch: Stretch, first: number, last: number): DeflatedText {
    const { from, to } = stretch
    const known = this.#lastCut
    if (known?.stretch === stretch && known.first === first && known.last === last) return known.cut
    const text = this.#open(stretch)
    const begin = findRecord(text, Math.max(0, first - from))
    const end = last >= to ? text.length : findRecord(text, last - from) - 1
    const cut = shared(deflateSmall(text.subarray(begin, end)))
    this.#lastCut = { stretch, first, last, text, cut }
    return cut
  }

  /** The text of a stretch: windows that move on with the time begin in the same one for a while. */
  #open(stretch: Stretch): Uint8Array {
    if (this.#lastCut?.stretch === stretch) return this.#lastCut.text
    const { start, end, textStart, textEnd } = stretch
    return inflateText(this.#bytes.subarray(start, end), textEnd - textStart)
  }

  #cutTail(first: number, last: number): DeflatedText {
    const count = this.#count - (this.#stretches.at(-1)?.to ?? 0)
    const text = this.#tail
    if (first <= 0 && last >= count) return (this.#deflatedTail ??= shared(deflateSmall(text)))
    const begin = findRecord(text, Math.max(0, first))
    const finish = last >= count ? text.length : findRecord(text, last) - 1
    return deflateSmall(text.subarray(begin, finish))
  }
}

/** The memory of other chunks is released with their response. */
function shared({ deflated, ...rest }: DeflatedText): DeflatedText {
  const bytes = new Uint8Array(new SharedArrayBuffer(deflated.length))
  bytes.set(deflated)
  return { deflated: bytes, ...rest }
}
