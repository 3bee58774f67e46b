import { ByteReader, ByteWriter, unreadable } from '../../encodings/byte-codec.ts'
import { distance, moved } from '../../encodings/double-places.ts'
import type { HourSummary, ItemSummary } from '../../domain/records/hour-summary.ts'
import { HOUR_MS } from '../../domain/time/periods.ts'

/**
 * version · number of hours · their starts · each item: key, block
 *
 * An item's block: form · which hours have it, unless all have · what each of them has.
 */
const VERSION = 1

/** The lowest bits of an item's form: decimals of its values, or this for doubles as they are. */
const DOUBLES = 15
const MOST_DECIMALS = 9
const DECIMALS_MASK = 15
const IN_EVERY_HOUR = 16
/** Every hour has as many values as the first one. */
const SAME_COUNT = 32
/** The sums are doubles as they are. */
const SUM_DOUBLES = 64

const POWERS = Array.from({ length: MOST_DECIMALS + 1 }, (_, exponent) => Number(`1e${exponent}`))

/** Differences of such numbers, and their doubles, are exact. */
const SCALED_MAXIMUM = 2 ** 50
/** A sum added up in doubles is off by so many of its last places at the most. */
const PLACES_MAXIMUM = 2 ** 20

/** Writes hours of ascending starts so that `decodeHours` finds every number as it was. */
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
 * Reads what `encodeHours` wrote; with `item` those hours only that have it, and nothing but it.
 *
 * Throws a sentence when the bytes are damaged, as far as they show it.
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

/** As JSON writes them, since a key may hold half a surrogate pair. */
const keyBytes = (key: string): Uint8Array => Buffer.from(JSON.stringify(key).slice(1, -1))

function keyOf(bytes: Uint8Array): string {
  try {
    return JSON.parse(`"${Buffer.from(bytes).toString()}"`) as string
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
  for (let at = 0; at < count; at++) {
    if (at === 0) {
      starts.push(reader.signed())
      continue
    }
    const written = reader.whole()
    const step = written % 2 === 0 ? (written / 2) * HOUR_MS : (written - 1) / 2
    const start = starts[at - 1]! + step
    if (step === 0 || !Number.isSafeInteger(start)) throw unreadable('an hour is none')
    starts.push(start)
  }
  return starts
}

function encodeItem(hours: readonly (ItemSummary | undefined)[]): Uint8Array {
  const items = hours.filter((item) => item !== undefined)
  const decimals = decimalsOf(items)
  const scale = decimals === undefined ? undefined : POWERS[decimals]!
  const hasPlainSums = scale === undefined || !items.every((item) => sumParts(item, scale))
  const hasSameCount = items.every(({ count }) => count === items[0]!.count)
  const isInEveryHour = items.length === hours.length

  const writer = new ByteWriter()
  writer.byte(
    (decimals ?? DOUBLES) |
      (isInEveryHour ? IN_EVERY_HOUR : 0) |
      (hasSameCount ? SAME_COUNT : 0) |
      (hasPlainSums ? SUM_DOUBLES : 0),
  )
  if (!isInEveryHour) writePresence(writer, hours)
  if (hasSameCount) writer.whole(items[0]!.count)
  let lastMinimum = 0
  for (const item of items) {
    if (!hasSameCount) writer.whole(item.count)
    if (scale === undefined) {
      for (const value of [item.minimum, item.maximum, item.first, item.last]) writer.double(value)
    } else {
      const minimum = scaled(item.minimum, scale)
      writer.signed(minimum - lastMinimum)
      for (const value of [item.maximum, item.first, item.last])
        writer.whole(scaled(value, scale) - minimum)
      lastMinimum = minimum
    }
    const sum = hasPlainSums ? undefined : sumParts(item, scale!)
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
  const scale = POWERS[decimals]
  const isPresent = (form & IN_EVERY_HOUR) === 0 ? readPresence(reader, hours.length) : undefined
  const sameCount = (form & SAME_COUNT) === 0 ? undefined : reader.whole()
  let lastMinimum = 0
  for (let at = 0; at < hours.length; at++) {
    if (isPresent !== undefined && !isPresent(at)) continue
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
    hours[at]!.items.set(key, item)
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
  return (at) => (bytes[at >>> 3]! & (1 << (at & 7))) !== 0
}

/** The fewest decimals that all values have, when that says them exactly. */
function decimalsOf(items: readonly ItemSummary[]): number | undefined {
  let decimals = 0
  for (const { minimum, maximum, first, last } of items) {
    if (maximum < minimum || first < minimum || last < minimum) return undefined
    for (const value of [minimum, maximum, first, last])
      while (!isExact(value, POWERS[decimals]!)) if (++decimals > MOST_DECIMALS) return undefined
  }
  // More decimals make larger numbers, which may not be exact any more.
  const scale = POWERS[decimals]!
  const areExact = items.every((item) =>
    [item.minimum, item.maximum, item.first, item.last].every((value) => isExact(value, scale)),
  )
  return areExact ? decimals : undefined
}

/** Never -0, which no number of decimals says. */
const scaled = (value: number, scale: number): number => Math.round(value * scale) + 0

const isExact = (value: number, scale: number): boolean => {
  const whole = scaled(value, scale)
  return Math.abs(whole) <= SCALED_MAXIMUM && Object.is(whole / scale, value)
}

/** A sum as a decimal number above `count` times the minimum, and how many last places off it is. */
function sumParts(
  { sum, count, minimum }: ItemSummary,
  scale: number,
): { rest: number; places: number } | undefined {
  const whole = scaled(sum, scale)
  const base = count * scaled(minimum, scale)
  if (!(Math.abs(whole) <= SCALED_MAXIMUM && Math.abs(base) <= SCALED_MAXIMUM)) return undefined
  const places = distance(whole / scale, sum)
  return Math.abs(places) <= PLACES_MAXIMUM && Object.is(moved(whole / scale, places), sum)
    ? { rest: whole - base, places }
    : undefined
}
