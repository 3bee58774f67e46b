import { OffsetSpans, type OffsetSpan } from './offset-spans.ts'
import { DAY_MS, formatClock, formatDay, readMinute, twoDigits } from './wall-clock.ts'

/** A time zone. Instants are whole epoch milliseconds of the years 0001 to 9999. */
export type Zone = {
  readonly name: string
  /** Returns `YYYY-MM-DD HH:mm:ss`; milliseconds are rounded down. */
  toLocal(instant: number): string
  /**
   * Returns the instant of a local time `YYYY-MM-DD HH:mm:ss`; undefined for other texts.
   *
   * A local time that occurs twice is the earlier instant. One that is skipped when clocks are set
   * forward is the instant as many minutes after the change.
   */
  toInstant(local: string): number | undefined
  /** Returns the span of constant offset that contains an instant. */
  spanAt(instant: number): OffsetSpan
  /** Returns the span of a local time, given in milliseconds as if it were UTC. */
  spanAtLocal(local: number): OffsetSpan
}

const zones = new Map<string, Zone>()

/** Returns the zone of an IANA name or of a fixed offset such as `+08:00`; refuses other names. */
export function zone(name: string): Zone {
  const present = zones.get(name)
  if (present !== undefined) return present
  const created = new SpanZone(name)
  return zones.getOrInsert(created.name, created)
}

/**
 * Parses the instant of a record; undefined for other values.
 *
 * Accepts epoch milliseconds as a whole number, an ISO 8601 instant with an offset or `Z`, and a
 * local time of the zone. Date and time are separated by `T` or a blank; seconds and their fraction
 * are optional. A fraction is truncated to milliseconds.
 */
export function parseInstant(value: unknown, zone: Zone): number | undefined {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? withinYears(value, zone) : undefined
  }
  if (typeof value !== 'string') return undefined
  return zone.toInstant(value) ?? parseIso(value, zone)
}

class SpanZone implements Zone {
  readonly name: string
  readonly #spans: OffsetSpans
  #day = 0
  #dayText = '1970-01-01 '

  constructor(name: string) {
    this.#spans = new OffsetSpans(name)
    this.name = this.#spans.name
  }

  toLocal(instant: number): string {
    const local = instant + this.#spans.at(instant).offset
    const day = Math.floor(local / DAY_MS)
    if (day !== this.#day) {
      this.#dayText = `${formatDay(day)} `
      this.#day = day
    }
    return this.#dayText + formatClock(Math.floor((local - day * DAY_MS) / 1000))
  }

  toInstant(text: string): number | undefined {
    if (text.length !== 19 || text[10] !== ' ' || text[16] !== ':') return undefined
    const second = twoDigits(text, 17)
    if (second < 0 || second > 59) return undefined
    const local = readMinute(text) + second * 1000
    if (Number.isNaN(local)) return undefined
    return local - this.#spans.atLocal(local).offset
  }

  spanAt(instant: number): OffsetSpan {
    return this.#spans.at(instant)
  }

  spanAtLocal(local: number): OffsetSpan {
    return this.#spans.atLocal(local)
  }
}

function parseIso(text: string, zone: Zone): number | undefined {
  const minute = readMinute(text)
  if (Number.isNaN(minute)) return undefined
  let at = 16
  let second = 0
  let millisecond = 0
  if (text[at] === ':') {
    second = twoDigits(text, 17)
    if (second < 0 || second > 59) return undefined
    at = 19
    if (text[at] === '.') {
      const end = digitsEnd(text, at + 1)
      if (end === at + 1) return undefined
      millisecond = Number(text.slice(at + 1, Math.min(end, at + 4)).padEnd(3, '0'))
      at = end
    }
  }
  if (at === text.length) {
    const clock = `${text.slice(0, 10)} ${text.slice(11, 16)}:${String(second).padStart(2, '0')}`
    const instant = zone.toInstant(clock)
    return instant === undefined ? undefined : instant + millisecond
  }
  const offset = parseOffset(text, at)
  if (offset === undefined) return undefined
  return withinYears(minute + second * 1000 + millisecond - offset, zone)
}

/** Parses `Z`, `+08:00` or `+0800` from `at` to the end of the text, to milliseconds. */
function parseOffset(text: string, at: number): number | undefined {
  const sign = text[at]
  if (sign === 'Z') return text.length === at + 1 ? 0 : undefined
  if (sign !== '+' && sign !== '-') return undefined
  const minuteAt = text[at + 3] === ':' ? at + 4 : at + 3
  const hour = twoDigits(text, at + 1)
  const minute = twoDigits(text, minuteAt)
  if (text.length !== minuteAt + 2 || hour < 0 || hour > 23 || minute < 0 || minute > 59) {
    return undefined
  }
  const offset = (hour * 60 + minute) * 60_000
  return sign === '+' ? offset : -offset
}

function digitsEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++
  return at
}

const ALWAYS_VALID_FROM = Date.UTC(1000, 0, 1)
const ALWAYS_VALID_UNTIL = Date.UTC(9000, 0, 1)
const INSTANT_MAXIMUM = 8_640_000_000_000_000 - DAY_MS

/** Returns an instant of the local years 0001 to 9999, which can be formatted and parsed. */
function withinYears(instant: number, zone: Zone): number | undefined {
  if (instant >= ALWAYS_VALID_FROM && instant < ALWAYS_VALID_UNTIL) return instant
  if (Math.abs(instant) > INSTANT_MAXIMUM) return undefined
  return zone.toInstant(zone.toLocal(instant)) === undefined ? undefined : instant
}
