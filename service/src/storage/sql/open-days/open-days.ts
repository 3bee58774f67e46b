import { crc32 } from 'node:zlib'
import { DeflatePool } from '../../../encodings/deflate-pool.ts'
import { HOUR_MS } from '../../../domain/time/periods.ts'
import {
  cutDay,
  endOfCut,
  extendDay,
  finishedUntil,
  keepDay,
  textOfDay,
  type DayMarker,
  type KeptDay,
  type Stretch,
} from '../../open-days/kept-day.ts'
import { OpenDayCache } from '../../open-days/open-day-cache.ts'
import type {
  DeflatedText,
  KeptOpenDays,
  RecordKind,
  RecordQuery,
  RecordsChunk,
} from '../../stores/records.ts'
import type { SqlReader } from '../engine.ts'
import { daysOf, endOfDay, startOfDay } from '../records/record-days.ts'
import type { OpenDay } from './open-day.ts'

/** Fewer bytes of text are not kept by themselves: more of them are compressed better together. */
const STRETCH_BYTES = 4_096

/** Less text is stored without compression. */
const SMALL_BYTES = 1_024

/** What is kept at an instant: records and the instant after them, or where the next ones may begin. */
export type KeptStep =
  { texts: readonly DeflatedText[]; next: number } | { texts?: never; end: number }

/**
 * Finished hours of open days, compressed and kept in memory.
 *
 * They are used only where the database still counts the same rewrites of their day as when they were
 * read: any process may write.
 */
export class OpenDays implements Disposable {
  readonly #cache: OpenDayCache
  readonly #pool = new DeflatePool()
  #hits = 0
  #misses = 0

  constructor(maximumBytes: number) {
    this.#cache = new OpenDayCache(maximumBytes)
  }

  get isOff(): boolean {
    return this.#cache.isOff
  }

  measure(): KeptOpenDays {
    return { bytes: this.#cache.bytes, hits: this.#hits, misses: this.#misses }
  }

  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]()
  }

  /** Finds what is kept of a window from an instant on. */
  async find(
    reader: SqlReader,
    { kind, source, to }: RecordQuery,
    position: number,
  ): Promise<KeptStep | undefined> {
    const [first] = daysOf(position, position)
    const known = this.#known(kind, source, first, to)
    if (known.length === 0) return undefined
    const markers = await findMarkers(reader, { kind, source, first, count: known.length })
    const texts: DeflatedText[] = []
    let next = position
    for (const [at, day] of known.entries()) {
      const marker = markers.get(first + at)
      const kept = marker && cutDay(day, marker, next, to)
      if (kept === undefined) break
      if (kept.text !== undefined) texts.push(kept.text)
      next = kept.next
      if (next <= endOfDay(first + at)) break
    }
    if (next > position) {
      this.#hits++
      return { texts, next }
    }
    const [day] = known
    const marker = markers.get(first)
    const end = day && marker && endOfCut(day, marker, position)
    return end === undefined ? undefined : { end }
  }

  /** The kept days of a source that follow each other. */
  #known(kind: RecordKind, source: number, first: number, to: number): KeptDay[] {
    const known: KeptDay[] = []
    for (let day = first; startOfDay(day) <= to; day++) {
      const kept = this.#cache.find(kind, source, day)
      if (kept === undefined) break
      known.push(kept)
    }
    return known
  }

  /** Keeps records that were read, where that is of use; returns them as they are to be sent. */
  async keep({ kind, source }: RecordQuery, read: OpenDay): Promise<RecordsChunk> {
    this.#misses++
    const { day, marker, from } = read
    const known = this.#cache.find(kind, source, day)
    const isValid = known?.rewrites === marker.rewrites
    if (isValid && !isExtendedBy(known, read)) return read.text
    const extended = isValid && from === finishedUntil(known) ? known : undefined
    if (extended === undefined && read.text.length < STRETCH_BYTES) return read.text
    const stretches = await this.#compress(read)
    const own = keepDay(marker, from, stretches)
    const kept = extended === undefined ? own : extendDay(extended, marker, stretches)
    this.#cache.put(kind, source, day, kept)
    return textOfDay(own)
  }

  async #compress({ day, from, until, newest, text, hours }: OpenDay): Promise<Stretch[]> {
    const stretches: Stretch[] = []
    let first: number | undefined
    let [start, at] = [0, 0]
    for (const [place, [hour, bytes, last]] of hours.entries()) {
      const begin = startOfDay(day) + hour * HOUR_MS
      const end = begin + HOUR_MS
      first ??= Math.max(from, begin)
      at += bytes
      const isFinished = end <= newest && end <= until && at - start >= STRETCH_BYTES
      if (!isFinished && place < hours.length - 1) continue
      const own = await this.#deflate(text.subarray(start, at - 1))
      const bounds = { first, until: isFinished ? end : until, last, isOpen: !isFinished }
      stretches.push({ ...bounds, text: own })
      start = at
      first = undefined
    }
    return stretches
  }

  async #deflate(text: Uint8Array): Promise<DeflatedText> {
    const deflated = text.length < SMALL_BYTES ? storedBlock(text) : await this.#pool.deflate(text)
    return { deflated, length: text.length, crc: crc32(text) }
  }
}

/** Whether records begin where the finished ones end, or before all that is kept. */
const isExtendedBy = (known: KeptDay, { from, marker }: OpenDay): boolean =>
  from < known.from ||
  (from === finishedUntil(known) &&
    (known.revision !== marker.revision || known.stretches.at(-1)?.isOpen !== true))

type DaysOfSource = { kind: RecordKind; source: number; first: number; count: number }

async function findMarkers(
  reader: SqlReader,
  { kind, source, first, count }: DaysOfSource,
): Promise<Map<number, DayMarker>> {
  const rows = await reader.rows<[day: number, rewrites: number, revision: number]>(
    `select day, rewrites, revision from ${kind}_open_days where source = ? and day between ? and ?`,
    source,
    first,
    first + count - 1,
  )
  return new Map(rows.map(([day, rewrites, revision]) => [day, { rewrites, revision }]))
}

/** A text as a stored block that is not the last one (RFC 1951, 3.2.4). */
function storedBlock(text: Uint8Array): Uint8Array {
  const block = Buffer.allocUnsafe(5 + text.length)
  block[0] = 0
  block.writeUInt16LE(text.length, 1)
  block.writeUInt16LE(text.length ^ 0xffff, 3)
  block.set(text, 5)
  return block
}
