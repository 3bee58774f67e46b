/** An instant, exact to the nanosecond: whole epoch milliseconds and 0 to 999,999 beyond them. */
export type WaveformStart = Readonly<{ milliseconds: number; nanoseconds: number }>

/** A UTC wall clock; whole numbers, `day` counted from 1 in its month. */
export type UtcClock = {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}

const NANOSECONDS = 1_000_000

/** The instant of a UTC wall clock; undefined when no calendar has it. A leap second may be. */
export function startOfClock(clock: UtcClock, nanoseconds = 0): WaveformStart | undefined {
  const { year, month, day, hour, minute, second } = clock
  const midnight = Date.UTC(year, month - 1, day)
  const date = new Date(midnight)
  const isDate =
    year >= 1 && year <= 9999 && date.getUTCFullYear() === year && date.getUTCDate() === day
  const isTime =
    isWithin(hour, 23) && isWithin(minute, 59) && isWithin(second, 60) && Number.isSafeInteger(day)
  if (!isDate || !isTime) return undefined
  const milliseconds = midnight + ((hour * 60 + minute) * 60 + second) * 1000
  return laterBy({ milliseconds, nanoseconds: 0 }, nanoseconds)
}

/** Moves an instant by whole nanoseconds, of either sign. */
export function laterBy(start: WaveformStart, nanoseconds: number): WaveformStart {
  const total = start.nanoseconds + nanoseconds
  const carried = Math.floor(total / NANOSECONDS)
  return {
    milliseconds: start.milliseconds + carried,
    nanoseconds: total - carried * NANOSECONDS,
  }
}

/** Milliseconds from one instant to another. */
export function millisecondsBetween(from: WaveformStart, to: WaveformStart): number {
  return to.milliseconds - from.milliseconds + (to.nanoseconds - from.nanoseconds) / NANOSECONDS
}

const isWithin = (value: number, most: number): boolean =>
  Number.isInteger(value) && value >= 0 && value <= most
