import { divideRecords } from '../../open-days/divide-records.ts'
import { KeptDay, type DayMarker } from '../../open-days/kept-day.ts'
import { OpenDayCache } from '../../open-days/open-day-cache.ts'
import { joinRecords } from '../../../domain/records/record-list.ts'
import { compressPieces } from '../../open-days/compress-pieces.ts'
import { DeflatePool } from '../../../encodings/deflate-pool.ts'
import type { KeptPart } from '../../open-days/kept-day.ts'
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
import { findMarkers, readGrowth } from './read-growth.ts'

/**
 * Records of open days, most of them compressed, kept in memory.
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

  /** Finds what is kept of a window from an instant on, after it has read what is new. */
  async find(
    reader: SqlReader,
    query: RecordQuery,
    position: number,
  ): Promise<KeptPart | undefined> {
    const { kind, source, to } = query
    const [first] = daysOf(position, position)
    const known = this.#known(kind, source, first, to)
    const kept = known.at(-1)
    if (kept === undefined) return undefined
    const days = { kind, source, first, last: first + known.length - 1, kept, to }
    const window = { first, position, to }
    if (reader.dialect.isSpread) {
      const part = cutDays(known, await findMarkers(reader, days), window)
      if (part !== undefined && part.next > to) {
        this.#hits++
        return part
      }
    }
    const { markers, read } = await readGrowth(reader, days)
    if (read !== undefined) await this.#extend(query, kept, read)
    const part = cutDays(known, markers, window)
    if (part !== undefined) this.#hits++
    return part
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
  async keep(query: RecordQuery, read: OpenDay): Promise<RecordsChunk[]> {
    this.#misses++
    const { kind, source } = query
    const { day, marker, from, until, end } = read
    const known = this.#cache.find(kind, source, day)
    if (known?.isValid(marker) === true) {
      if (from === known.settled) {
        await this.#extend(query, known, read)
        return known.cut(marker, from, until - 1)?.chunks ?? [read.text]
      }
      const isLess = from >= known.from && end <= known.end && read.times.length < known.count
      if (isLess) return [read.text]
    }
    const kept = new KeptDay(read, startOfDay(day), end)
    await this.#extend(query, kept, read)
    return kept.cut(marker, from, until - 1)?.chunks ?? [read.text]
  }

  /** Appends records to a day, unless another request has done so meanwhile. */
  async #extend({ kind, source }: RecordQuery, kept: KeptDay, read: OpenDay): Promise<void> {
    const { from, marker, times, text } = read
    if (from !== kept.settled) return
    const division = divideRecords(joinRecords([kept.tail, text].filter(isSome)))
    const stretches = await compressPieces(division.pieces, this.#pool)
    if (from !== kept.settled || (kept.count > 0 && !kept.isValid(marker))) return
    kept.append(read, times, division, stretches)
    this.#cache.put(kind, source, read.day, kept)
  }
}

const isSome = ({ length }: Uint8Array): boolean => length > 0

/** The kept records of days that follow each other, up to the first that is not known. */
function cutDays(
  known: readonly KeptDay[],
  markers: ReadonlyMap<number, DayMarker>,
  { first, position, to }: { first: number; position: number; to: number },
): KeptPart | undefined {
  const chunks: DeflatedText[] = []
  let next = position
  for (const [at, day] of known.entries()) {
    const marker = markers.get(first + at)
    const part = marker && day.cut(marker, next, Math.min(to, endOfDay(first + at)))
    if (part === undefined) break
    chunks.push(...part.chunks)
    next = part.next
    if (next <= endOfDay(first + at)) break
  }
  return next > position ? { chunks, next } : undefined
}
