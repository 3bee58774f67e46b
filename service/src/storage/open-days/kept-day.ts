import { crc32 } from 'node:zlib'
import { combineCrc32 } from '../../encodings/crc32.ts'
import type { DeflatedText } from '../stores/records.ts'

/** Whole hours of an open day, and their records, compressed by themselves. */
export type Stretch = {
  /** From the first instant that can have a record until the end of its last hour, not included. */
  first: number
  until: number
  /** The instant of its newest record. */
  last: number
  /** Whether newer records can still come into it. */
  isOpen: boolean
  text: DeflatedText
}

/** The records of a source on a day of UTC, as far as they were read and compressed. */
export type KeptDay = {
  /** What the database counted when they were read. */
  rewrites: number
  revision: number
  /** The first instant that is covered; each stretch covers the gap before it. */
  from: number
  stretches: readonly KeptStretch[]
  /** The stretches one after the other, with commas between them. */
  bytes: Uint8Array
}

type KeptStretch = Omit<Stretch, 'text'> & {
  start: number
  end: number
  length: number
  crc: number
}

/** What the database counts of a day: `rewrites` stays where records are only appended. */
export type DayMarker = Pick<KeptDay, 'rewrites' | 'revision'>

/** Records that are kept, and the first instant after them; no text where there are none. */
export type KeptRecords = { text: DeflatedText | undefined; next: number }

/** A stored block with a comma, which is not the last one (RFC 1951, 3.2.4). */
const COMMA = Uint8Array.of(0, 1, 0, 0xfe, 0xff, 0x2c)
const COMMA_CRC = crc32(',')

/** What an object of a stretch takes besides its bytes. */
const STRETCH_BYTES = 160

/** Joins stretches in the order of their instants. */
export function keepDay(
  { rewrites, revision }: DayMarker,
  from: number,
  stretches: readonly Stretch[],
): KeptDay {
  return join({ rewrites, revision, from }, stretches)
}

/** A kept day with more stretches after the finished ones that it has. */
export function extendDay(
  known: KeptDay,
  { rewrites, revision }: DayMarker,
  stretches: readonly Stretch[],
): KeptDay {
  const finished = known.stretches.filter(({ isOpen }) => !isOpen)
  const own = finished.map(({ start, end, length, crc, ...rest }) => ({
    ...rest,
    text: { deflated: known.bytes.subarray(start, end), length, crc },
  }))
  return join({ rewrites, revision, from: known.from }, [...own, ...stretches])
}

function join(day: Omit<KeptDay, 'stretches' | 'bytes'>, stretches: readonly Stretch[]): KeptDay {
  const size = stretches.reduce((sum, { text }) => sum + text.deflated.length + COMMA.length, 0)
  // Shared memory is not released with the response that it was sent in.
  const bytes = new Uint8Array(new SharedArrayBuffer(Math.max(0, size - COMMA.length)))
  let at = 0
  const kept = stretches.map(({ text: { deflated, length, crc }, ...rest }) => {
    if (at > 0) bytes.set(COMMA, at)
    const start = at === 0 ? 0 : at + COMMA.length
    bytes.set(deflated, start)
    at = start + deflated.length
    return { ...rest, start, end: at, length, crc }
  })
  return { ...day, stretches: kept, bytes }
}

/** The first instant after the finished stretches. */
export const finishedUntil = ({ from, stretches }: KeptDay): number =>
  stretches.findLast(({ isOpen }) => !isOpen)?.until ?? from

/** About how much memory it takes. */
export const sizeOf = ({ bytes, stretches }: KeptDay): number =>
  bytes.length + (stretches.length + 1) * STRETCH_BYTES

/**
 * The records from an instant on and up to another, as far as they are kept and valid by the marker;
 * undefined where nothing can be used at that instant.
 */
export function cutDay(
  day: KeptDay,
  { rewrites, revision }: DayMarker,
  from: number,
  to: number,
): KeptRecords | undefined {
  const { stretches } = day
  if (rewrites !== day.rewrites || from < day.from) return undefined
  const isSame = revision === day.revision
  const at = stretches.findIndex(({ first }) => first >= from)
  const before = at === -1 ? stretches.at(-1) : stretches[at - 1]
  // The instant lies among the records of a stretch.
  if (before !== undefined && before.last >= from) return undefined
  if (at === -1)
    return before?.isOpen === true && isSame && before.until > from
      ? { text: undefined, next: Math.min(before.until, to + 1) }
      : undefined
  let end = at
  while (end < stretches.length && isUsable(stretches[end], to, isSame)) end++
  const next = stretches[end - 1]?.until ?? from
  if (end > at) return { text: textOf(day, at, end), next: Math.min(next, to + 1) }
  return undefined
}

const isUsable = (stretch: KeptStretch | undefined, to: number, isSame: boolean): boolean =>
  stretch !== undefined && stretch.last <= to && (isSame || !stretch.isOpen)

/** The end of the stretch among whose records an instant lies. */
export function endOfCut(day: KeptDay, { rewrites }: DayMarker, from: number): number | undefined {
  if (rewrites !== day.rewrites || from < day.from) return undefined
  return day.stretches.find(({ first, last, isOpen }) => !isOpen && first < from && last >= from)
    ?.until
}

/** All records of a day that has some. */
export const textOfDay = (day: KeptDay): DeflatedText => textOf(day, 0, day.stretches.length)

function textOf({ stretches, bytes }: KeptDay, from: number, to: number): DeflatedText {
  const own = stretches.slice(from, to)
  let [length, crc] = [0, 0]
  for (const stretch of own) {
    if (length > 0) {
      crc = combineCrc32(crc, COMMA_CRC, 1)
      length++
    }
    crc = combineCrc32(crc, stretch.crc, stretch.length)
    length += stretch.length
  }
  const deflated = bytes.subarray(own[0]?.start ?? 0, own.at(-1)?.end ?? 0)
  return { deflated, length, crc }
}
