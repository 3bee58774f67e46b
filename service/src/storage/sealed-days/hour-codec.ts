import { ByteReader, ByteWriter, unreadable } from '../../encodings/byte-codec.ts'
import { distance, moved } from '../../encodings/double-places.ts'
import type { HourSummary, ItemSummary } from '../../domain/records/hour-summary.ts'
import { HOUR_MS } from '../../domain/time/periods.ts'

/**
 * The bytes: version · number of hours · their starts · for each item its key and block.
 *
 * The block of an item: form · the hours that have it, unless all have · its summary in each of them.
 */
const VERSION = 1

/** The lowest bits of a form: the decimals of the values, or this number for plain doubles. */
const DOUBLES = 15
const MOST_DECIMALS = 9
const DECIMALS_MASK = 15
const IN_EVERY_HOUR = 16
/** All hours have the same number of values. */
const SAME_COUNT = 32
/** The sums are plain doubles. */
const SUM_DOUBLES = 64

type Scale = { decimals: number; scale: number }

/** The factors that turn decimal numbers into whole ones, by the number of decimals. */
const SCALES = Array.from({ length: MOST_DECIMALS + 1 }, (_, decimals): Scale => ({
  decimals,
  scale: Number(`1e${decimals}`),
}))

/** Up to this number, differences of whole numbers and their doubles are exact. */
const SCALED_MAXIMUM = 2 ** 50
/** The largest error of a sum of doubles, in units of its last place. */
const PLACES_MAXIMUM = 2 ** 20

/** Encodes hours whose starts ascend; `decodeHours` returns every number unchanged. */
export function encodeHours(hours: readonly HourSummary[]): Uint8Array {
  const writer = new ByteWriter()
  writer.byte(VERSION)
  writeStarts(writer, hours)
  const keys = new Set(hours.flatMap(({ items }) => [...items.keys()]))
  for (const key of keys) {
    writer.block(keyBytes(key))
    writer.block(encodeItem(hours.map(({ items }) => items.get(key))))
  }
  return writer.bytes()
}

/**
 * Decodes hours; with `item` only that item, in the hours that have it.
 *
 * Throws a `DamageError` where the bytes cannot have been encoded.
 */
export function decodeHours(bytes: Uint8Array, item?: string): HourSummary[] {
  const reader = new ByteReader(bytes)
  const version = reader.byte()
  if (version !== VERSION) throw unreadable(`their version is ${version}, not ${VERSION}`)
  const hours: HourSummary[] = readStarts(reader).map((start) => ({ start, items: new Map() }))
  const wanted = item === undefined ? undefined : keyBytes(item)
  while (reader.left > 0) {
    const key = reader.block()
    const block = reader.block()
    if (wanted !== undefined && Buffer.compare(key, wanted) !== 0) continue
    readItem(new ByteReader(block), item ?? keyOf(key), hours)
    if (wanted !== undefined) break
  }
  return item === undefined ? hours : hours.filter(({ items }) => items.size > 0)
}

/** Keys are escaped as in JSON, since a key can have half a surrogate pair. */
const keyBytes = (key: string): Uint8Array => Buffer.from(JSON.stringify(key).slice(1, -1))

function keyOf(bytes: Uint8Array): string {
  try {
    return JSON.parse(`"${Buffer.from(bytes).toString()}"`)
  } catch (cause) {
    throw unreadable('a key is no text', { cause })
  }
}

function writeStarts(writer: ByteWriter, hours: readonly HourSummary[]): void {
  writer.whole(hours.length)
  let last: number | undefined
  for (const { start } of hours) {
    if (last === undefined) writer.signed(start)
    else {
      const step = start - last
      if (!(step > 0)) throw new RangeError('the starts of hours must ascend')
      writer.whole(step % HOUR_MS === 0 ? (step / HOUR_MS) * 2 : step * 2 + 1)
    }
    last = start
  }
}

function readStarts(reader: ByteReader): number[] {
  const count = reader.whole()
  const starts: number[] = []
  let last: number | undefined
  while (starts.length < count) {
    last = last === undefined ? reader.signed() : last + readStep(reader)
    if (!Number.isSafeInteger(last)) throw unreadable('an hour is none')
    starts.push(last)
  }
  return starts
}

function readStep(reader: ByteReader): number {
  const written = reader.whole()
  const step = written % 2 === 0 ? (written / 2) * HOUR_MS : (written - 1) / 2
  if (step === 0) throw unreadable('an hour is none')
  return step
}

function encodeItem(hours: readonly (ItemSummary | undefined)[]): Uint8Array {
  const items = hours.filter((item) => item !== undefined)
  const { decimals, scale } = scaleOf(items) ?? { decimals: DOUBLES, scale: undefined }
  const sums = scale === undefined ? undefined : sumsOf(items, scale)
  const sameCount = sameCountOf(items)
  const isInEveryHour = items.length === hours.length

  const writer = new ByteWriter()
  writer.byte(
    decimals |
      (isInEveryHour ? IN_EVERY_HOUR : 0) |
      (sameCount === undefined ? 0 : SAME_COUNT) |
      (sums === undefined ? SUM_DOUBLES : 0),
  )
  if (!isInEveryHour) writePresence(writer, hours)
  if (sameCount !== undefined) writer.whole(sameCount)
  let lastMinimum = 0
  let at = 0
  for (const item of items) {
    if (sameCount === undefined) writer.whole(item.count)
    if (scale === undefined) {
      for (const value of [item.minimum, item.maximum, item.first, item.last]) writer.double(value)
    } else {
      const minimum = scaled(item.minimum, scale)
      writer.signed(minimum - lastMinimum)
      for (const value of [item.maximum, item.first, item.last])
        writer.whole(scaled(value, scale) - minimum)
      lastMinimum = minimum
    }
    const sum = sums?.[at++]
    if (sum === undefined) writer.double(item.sum)
    else {
      writer.signed(sum.rest)
      writer.signed(sum.places)
    }
  }
  return writer.bytes()
}

function readItem(reader: ByteReader, key: string, hours: readonly HourSummary[]): void {
  const form = reader.byte()
  const decimals = form & DECIMALS_MASK
  if (decimals > MOST_DECIMALS && decimals !== DOUBLES) throw unreadable('a form is unknown')
  const scale = SCALES[decimals]?.scale
  const isPresent = (form & IN_EVERY_HOUR) === 0 ? readPresence(reader, hours.length) : undefined
  const sameCount = (form & SAME_COUNT) === 0 ? undefined : reader.whole()
  let lastMinimum = 0
  let at = 0
  for (const { items } of hours) {
    if (isPresent !== undefined && !isPresent(at++)) continue
    const count = sameCount ?? reader.whole()
    if (count === 0) throw unreadable('an hour has no values')
    let item: ItemSummary
    let base = 0
    if (scale === undefined) {
      const [minimum, maximum] = [reader.double(), reader.double()]
      item = { minimum, maximum, sum: 0, count, first: reader.double(), last: reader.double() }
    } else {
      base = lastMinimum += reader.signed()
      item = {
        minimum: base / scale,
        maximum: (base + reader.whole()) / scale,
        sum: 0,
        count,
        first: (base + reader.whole()) / scale,
        last: (base + reader.whole()) / scale,
      }
    }
    item.sum =
      scale === undefined || (form & SUM_DOUBLES) !== 0
        ? reader.double()
        : moved((count * base + reader.signed()) / scale, reader.signed())
    items.set(key, item)
  }
  reader.end()
}

function writePresence(writer: ByteWriter, hours: readonly (ItemSummary | undefined)[]): void {
  for (let at = 0; at < hours.length; at += 8) {
    let bits = 0
    for (let bit = 0; bit < 8; bit++) if (hours[at + bit] !== undefined) bits |= 1 << bit
    writer.byte(bits)
  }
}

function readPresence(reader: ByteReader, count: number): (at: number) => boolean {
  const bytes = Array.from({ length: Math.ceil(count / 8) }, () => reader.byte())
  return (at) => ((bytes[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0
}

/** The number of values of every hour, where it is the same one. */
const sameCountOf = ([first, ...others]: readonly ItemSummary[]): number | undefined =>
  others.every(({ count }) => count === first?.count) ? first?.count : undefined

/** The fewest decimals with which all values are exact; undefined where there are none. */
function scaleOf(items: readonly ItemSummary[]): Scale | undefined {
  let found = SCALES[0]
  for (const { minimum, maximum, first, last } of items) {
    if (maximum < minimum || first < minimum || last < minimum) return undefined
    for (const value of [minimum, maximum, first, last])
      while (found !== undefined && !isExact(value, found.scale)) found = SCALES[found.decimals + 1]
  }
  if (found === undefined) return undefined
  // More decimals make larger numbers, which can be inexact again.
  const { scale } = found
  const areExact = items.every((item) =>
    [item.minimum, item.maximum, item.first, item.last].every((value) => isExact(value, scale)),
  )
  return areExact ? found : undefined
}

/** Never -0, which has no decimal form. */
const scaled = (value: number, scale: number): number => Math.round(value * scale) + 0

const isExact = (value: number, scale: number): boolean => {
  const whole = scaled(value, scale)
  return Math.abs(whole) <= SCALED_MAXIMUM && Object.is(whole / scale, value)
}

type SumParts = { rest: number; places: number }

/** The parts of all sums, or undefined where one of them has none. */
function sumsOf(items: readonly ItemSummary[], scale: number): SumParts[] | undefined {
  const sums: SumParts[] = []
  for (const item of items) {
    const parts = sumParts(item, scale)
    if (parts === undefined) return undefined
    sums.push(parts)
  }
  return sums
}

/** A sum as a decimal number above `count` times the minimum, and its error in last places. */
function sumParts({ sum, count, minimum }: ItemSummary, scale: number): SumParts | undefined {
  const whole = scaled(sum, scale)
  const base = count * scaled(minimum, scale)
  if (!(Math.abs(whole) <= SCALED_MAXIMUM && Math.abs(base) <= SCALED_MAXIMUM)) return undefined
  const places = distance(whole / scale, sum)
  return Math.abs(places) <= PLACES_MAXIMUM && Object.is(moved(whole / scale, places), sum)
    ? { rest: whole - base, places }
    : undefined
}
