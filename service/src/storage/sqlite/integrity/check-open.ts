import { checksumsSql, overlap, toChecksum, type ChecksumRow } from './checksum-rows.ts'
import type { Reader } from '../connection/reader.ts'
import { damageOf } from '../../sql/damage.ts'
import { findMismatch, type RecordChecksum } from '../../../encodings/record-checksum.ts'
import { findInstant } from '../../../domain/records/record-list.ts'
import type { RecordKind, RecordSpan } from '../../stores/records.ts'

type Bounds = { start: number; last: number }

/**
 * Throws where the open records of a window are not those that were written.
 *
 * `text` has the records of the window, oldest first and joined by commas, read in the same snapshot.
 * A caller that uses their instants passes these too.
 */
export function checkOpen(
  reader: Reader,
  span: RecordSpan,
  text: Uint8Array | null,
  times?: readonly number[],
): void {
  const { source, from, to } = span
  const sums = findSums(reader, span, times !== undefined)
  // A checksum that starts before the window mostly ends before it too.
  if ((sums[0]?.last ?? from) < from) sums.shift()
  const [first] = sums
  const last = sums.at(-1)
  if (first === undefined || last === undefined) {
    if (text !== null) throw damageOf(span, { start: from, last: to })
    return
  }
  let rest = text ?? NOTHING
  const isCutBefore = first.start < from
  const isCutAfter = last.last > to
  if (isCutBefore || (isCutAfter && sums.length === 1)) {
    const part = partOf(reader, span, first)
    rest = afterPart(span, first, rest, part, sums.length === 1)
    sums.shift()
  }
  if (isCutAfter && sums.length > 0) {
    const part = partOf(reader, span, last)
    rest = beforePart(span, last, rest, part, sums.length === 1)
    sums.pop()
  }
  if (sums.length === 0) {
    if (rest.length > 0) throw damageOf(span, last)
    return
  }
  const wrong = findMismatch(source, rest, sums) ?? (times && findMoved(reader, span, times, sums))
  if (wrong !== undefined) throw damageOf(span, wrong)
}

/** The checksums that overlap a window; `count` and `instants` only where they are asked for. */
function findSums(
  reader: Reader,
  { kind, source, from, to }: RecordSpan,
  hasInstants: boolean,
): FoundSum[] {
  const values = overlap(source, from, to)
  if (hasInstants) return reader.rows<ChecksumRow>(checksumsSql(kind), ...values).map(toChecksum)
  return reader
    .rows<BriefRow>(BRIEF[kind], ...values)
    .map(([start, last, length, crc]) => ({ start, last, length, crc }))
}

type FoundSum = RecordChecksum | Pick<RecordChecksum, 'start' | 'last' | 'length' | 'crc'>

type BriefRow = [start: number, last: number, length: number, crc: number]

/** Only four columns: each further one takes a twentieth of the time of a read. */
const BRIEF = {
  theme: checksumsSql('theme', 'start, last, length, crc'),
  raw: checksumsSql('raw', 'start, last, length, crc'),
}

const findChecksums = (
  reader: Reader,
  { kind, source }: RecordSpan,
  from: number,
  to: number,
): RecordChecksum[] =>
  reader
    .rows<ChecksumRow>(checksumsSql(kind), ...overlap(source, from, to))
    .map(toChecksum)
    .filter(({ last }) => last >= from)

/** The first of some checksums whose instants do not add up, or that does not exist any more. */
function findMoved(
  reader: Reader,
  span: RecordSpan,
  times: readonly number[],
  sums: readonly Bounds[],
): Bounds | undefined {
  const [first] = sums
  const last = sums.at(-1)
  if (first === undefined || last === undefined) return undefined
  const known = findChecksums(reader, span, first.start, last.last)
  let at = findInstant(times, first.start)
  return sums.find(({ start }, place) => {
    const sum = known[place]
    if (sum?.start !== start || at + sum.count > times.length) return true
    const own = times.slice(at, at + sum.count)
    at += sum.count
    return own.reduce((instants, time) => instants + time - sum.start, 0) !== sum.instants
  })
}

const NOTHING = Buffer.alloc(0)
const COMMA = 0x2c

/** Cuts off the start of a text, which has to be `part`. */
function afterPart(
  span: RecordSpan,
  sum: Bounds,
  text: Uint8Array,
  part: Uint8Array,
  isAll: boolean,
): Uint8Array {
  const isSame = Buffer.compare(text.subarray(0, part.length), part) === 0
  if (!isSame || (!isAll && text[part.length] !== COMMA)) throw damageOf(span, sum)
  return text.subarray(part.length + (isAll ? 0 : 1))
}

/** Cuts off the end of a text, which has to be `part`. */
function beforePart(
  span: RecordSpan,
  sum: Bounds,
  text: Uint8Array,
  part: Uint8Array,
  isAll: boolean,
): Uint8Array {
  const start = text.length - part.length
  const isSame = start >= 0 && Buffer.compare(text.subarray(start), part) === 0
  if (!isSame || (!isAll && text[start - 1] !== COMMA)) throw damageOf(span, sum)
  return text.subarray(0, Math.max(0, start - (isAll ? 0 : 1)))
}

/** The records of one checksum that lie in the window, after a check of all its records. */
function partOf(reader: Reader, span: RecordSpan, bounds: FoundSum): Uint8Array {
  const { kind, source, from, to } = span
  const { start } = bounds
  const sum = 'count' in bounds ? bounds : findChecksums(reader, span, start, start).at(-1)
  if (sum?.start !== start) throw damageOf(span, bounds)
  const [text, instants, before, after] = reader.row<
    [Uint8Array | null, number, number | null, number | null]
  >(cutSql(kind), from, to, source, sum.start, sum.last) ?? [null, 0, null, null]
  const isSound =
    text !== null &&
    instants === sum.instants + sum.count * sum.start &&
    findMismatch(source, text, [sum]) === undefined
  if (!isSound) throw damageOf(span, sum)
  return text.subarray(before ?? 0, Math.max(before ?? 0, text.length - (after ?? 0)))
}

/** All records of a checksum, the sum of their instants, and the bytes before and after a window. */
const cutSql = (kind: RecordKind): string =>
  `select cast(group_concat(record) as blob), sum(time),
      sum(octet_length(record) + 1) filter (where time < ?),
      sum(octet_length(record) + 1) filter (where time > ?)
    from ${kind}_records where source = ? and time between ? and ?`
