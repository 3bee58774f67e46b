import { RefusedError } from '../../errors/refused-error.ts'
import { DAY_MS, dayNumber, daysIn, formatDay } from '../../domain/time/wall-clock.ts'
import { flatten, parseTimeFormat, type FormatToken, type TimePart } from './time-tokens.ts'

/** A form of local times, in milliseconds since 1970 as if the clock were in UTC. */
export type TimeFormat = {
  /** Reads a time; undefined for a text of another form, or of a time that does not exist. */
  parse(text: string): number | undefined
  /** Writes a time that `parse` reads; parts that the form lacks are cut off. */
  format(wall: number): string
}

/**
 * Compiles a form such as `DD.MM.YYYY HH:mm:ss[.S]`; throws a `RefusedError` for an incomplete one.
 *
 * `YY` means 1969 to 2068, and 24:00:00 the midnight that ends the day.
 */
export function timeFormat(pattern: string): TimeFormat {
  const { tokens, names } = parseTimeFormat(pattern)
  const clock: ClockStyle = { ofYear: names.includes('DDD'), isHalved: names.includes('A') }
  return {
    parse: (text) => parse(tokens, clock, text.trim()),
    format: (wall) => write(tokens, clock, wall),
  }
}

/** Formats that count from 1970 in UTC, with the milliseconds of their unit. */
export const EPOCHS: ReadonlyMap<string, number> = new Map([
  ['epochSeconds', 1000],
  ['epochMilliseconds', 1],
])

/** Why a format cannot be used, as a sentence; undefined when it can. */
export function timeFormatProblem(format: string): string | undefined {
  if (EPOCHS.has(format)) return undefined
  try {
    timeFormat(format)
    return undefined
  } catch (error) {
    if (error instanceof RefusedError) return error.message
    throw error
  }
}

type ClockStyle = { ofYear: boolean; isHalved: boolean }

type TimeParts = Record<TimePart, number>

function parse(
  tokens: readonly FormatToken[],
  clock: ClockStyle,
  text: string,
): number | undefined {
  const parts: TimeParts = {
    year: 0,
    month: 1,
    day: 1,
    hour: 0,
    half: 0,
    minute: 0,
    second: 0,
    fraction: 0,
  }
  return match(tokens, text, 0, parts) === text.length ? wallOf(parts, clock) : undefined
}

/** Where the match ends, or -1. */
function match(
  tokens: readonly FormatToken[],
  text: string,
  from: number,
  parts: TimeParts,
): number {
  let at = from
  for (const token of tokens) {
    if (token.kind === 'digits') at = readDigits(token, text, at, parts)
    else if (token.kind === 'literal') at = readLiteral(token.text, text, at)
    else if (token.kind === 'half') at = readHalf(text, at, parts)
    else {
      const inner = { ...parts }
      const end = match(token.tokens, text, at, inner)
      if (end === -1) continue
      Object.assign(parts, inner)
      at = end
    }
    if (at === -1) return -1
  }
  return at
}

function readDigits(
  { unit, least, most, name }: Extract<FormatToken, { kind: 'digits' }>,
  text: string,
  from: number,
  parts: TimeParts,
): number {
  let at = from
  let value = 0
  let weight = 100
  for (; at < text.length && at - from < most; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) break
    if (unit !== 'fraction') value = value * 10 + digit
    else {
      value += digit * Math.floor(weight)
      weight /= 10
    }
  }
  if (at - from < least) return -1
  parts[unit] = name === 'YY' ? value + (value < 69 ? 2000 : 1900) : value
  return at
}

/** A blank matches any number of blanks. */
function readLiteral(literal: string, text: string, from: number): number {
  if (text[from] !== literal) return -1
  let at = from + 1
  if (literal === ' ') while (text[at] === ' ') at++
  return at
}

function readHalf(text: string, at: number, parts: TimeParts): number {
  const half = text.slice(at, at + 2).toUpperCase()
  if (half !== 'AM' && half !== 'PM') return -1
  parts.half = half === 'PM' ? 12 : 0
  return at + 2
}

function wallOf(parts: TimeParts, { ofYear, isHalved }: ClockStyle): number | undefined {
  const { year, month, day, minute, second, fraction } = parts
  const rest = minute * 60_000 + second * 1000 + fraction
  const hour = isHalved ? (parts.hour % 12) + parts.half : parts.hour
  if (isHalved && (parts.hour < 1 || parts.hour > 12)) return undefined
  if (year < 1 || minute > 59 || second > 59) return undefined
  if (hour > 24 || (hour === 24 && rest > 0)) return undefined
  const date = ofYear ? dayOfYear(year, day) : dayOfMonth(year, month, day)
  return date === undefined ? undefined : date * DAY_MS + hour * 3_600_000 + rest
}

/** The day since 1970 of a day of the year, the first being 1; undefined when there is none. */
export function dayOfYear(year: number, day: number): number | undefined {
  const first = dayNumber(year, 1, 1)
  return day >= 1 && first + day <= dayNumber(year, 12, 31) + 1 ? first + day - 1 : undefined
}

const dayOfMonth = (year: number, month: number, day: number): number | undefined =>
  day >= 1 && day <= daysIn(year, month) ? dayNumber(year, month, day) : undefined

function write(tokens: readonly FormatToken[], clock: ClockStyle, wall: number): string {
  const day = Math.floor(wall / DAY_MS)
  const [year = 0, month = 0, dayInMonth = 0] = formatDay(day).split('-').map(Number)
  const inDay = wall - day * DAY_MS
  const hour = Math.floor(inDay / 3_600_000)
  const parts: TimeParts = {
    year,
    month,
    day: clock.ofYear ? day - dayNumber(year, 1, 1) + 1 : dayInMonth,
    hour: clock.isHalved ? hour % 12 || 12 : hour,
    half: hour < 12 ? 0 : 12,
    minute: Math.floor(inDay / 60_000) % 60,
    second: Math.floor(inDay / 1000) % 60,
    fraction: inDay % 1000,
  }
  return flatten(tokens)
    .map((token) => writeToken(token, parts))
    .join('')
}

function writeToken(token: FormatToken, parts: TimeParts): string {
  if (token.kind === 'half') return parts.half === 0 ? 'AM' : 'PM'
  if (token.kind !== 'digits') return token.kind === 'literal' ? token.text : ''
  const { unit, least, name } = token
  if (unit === 'fraction')
    return String(parts.fraction).padStart(3, '0').padEnd(name.length, '0').slice(0, name.length)
  const value = name === 'YY' ? parts.year % 100 : parts[unit]
  return String(value).padStart(least, '0')
}
