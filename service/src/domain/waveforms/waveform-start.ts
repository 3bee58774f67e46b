/** An instant, exact to the nanosecond: epoch milliseconds and 0 to 999,999 nanoseconds. */
export type WaveformStart = Readonly<{ milliseconds: number; nanoseconds: number }>

/** A UTC wall clock time, in whole numbers; the first day of a month is 1. */
type UtcClock = {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}

const NANOSECONDS = 1_000_000

/** Parses the numbers of a wall clock time, in the order year, month, day, hour, minute, second. */
export const parseClock = (digits: readonly (string | number | undefined)[]): UtcClock => {
  const [year = NaN, month = NaN, day = NaN, hour = NaN, minute = NaN, second = NaN] =
    digits.map(Number)
  return { year, month, day, hour, minute, second }
}

/** Returns the instant of a UTC wall clock time, or undefined if it does not exist. Second 60 is valid. */
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

/** Returns the instant that is later by whole nanoseconds, or earlier by negative ones. */
export function laterBy(start: WaveformStart, nanoseconds: number): WaveformStart {
  const total = start.nanoseconds + nanoseconds
  const carried = Math.floor(total / NANOSECONDS)
  return {
    milliseconds: start.milliseconds + carried,
    nanoseconds: total - carried * NANOSECONDS,
  }
}

/** Returns the milliseconds from one instant to another. */
export function millisecondsBetween(from: WaveformStart, to: WaveformStart): number {
  return to.milliseconds - from.milliseconds + (to.nanoseconds - from.nanoseconds) / NANOSECONDS
}

const isWithin = (value: number, maximum: number): boolean =>
  Number.isInteger(value) && value >= 0 && value <= maximum
