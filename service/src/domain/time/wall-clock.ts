export const DAY_MS = 86_400_000
export const DAY_SECONDS = 86_400
/** What an end without milliseconds adds, so that its whole second is included. */
export const LAST_MILLISECOND = 999

const MONTH_DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const TWO = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))
const MINUTES = Array.from({ length: 1440 }, (_, n) => `${TWO[Math.floor(n / 60)]}:${TWO[n % 60]}:`)

const ZERO = 48
const BLANK = 32
const COLON = 58
const DASH = 45
const T = 84

/** Returns the two-digit number at `at`, or -1 without two digits there. */
export function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO
  const ones = text.charCodeAt(at + 1) - ZERO
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}

/**
 * Parses the local time at the start of a text, `YYYY-MM-DD HH:mm` or with `T`, to milliseconds as if
 * it were UTC; NaN for other texts.
 */
export function readMinute(text: string): number {
  if (text.length < 16) return NaN
  const century = twoDigits(text, 0)
  const yearOfCentury = twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  const separator = text.charCodeAt(10)
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return NaN
  if ((separator !== BLANK && separator !== T) || text.charCodeAt(13) !== COLON) return NaN
  if (century < 0 || yearOfCentury < 0 || hour < 0 || hour > 23) return NaN
  if (minute < 0 || minute > 59) return NaN
  const year = century * 100 + yearOfCentury
  if (year === 0 || day < 1 || day > daysIn(year, month)) return NaN
  return dayNumber(year, month, day) * DAY_MS + (hour * 60 + minute) * 60_000
}

/** Formats a second of the day as `HH:mm:ss`. */
export function formatClock(secondOfDay: number): string {
  return `${MINUTES[Math.floor(secondOfDay / 60)]}${TWO[secondOfDay % 60]}`
}

/** Returns the second of the day of a clock time `HH:mm:ss`. */
export function secondOfClock(clock: string): number {
  return twoDigits(clock, 0) * 3600 + twoDigits(clock, 3) * 60 + twoDigits(clock, 6)
}

/** Formats a day, counted from 1970-01-01, as `YYYY-MM-DD`. */
export function formatDay(day: number): string {
  // Years begin in March, so that the leap day is the last of its year.
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const dayOfMonth = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return `${String(year).padStart(4, '0')}-${TWO[month]}-${TWO[dayOfMonth]}`
}

/** Returns the day of a date, counted from 1970-01-01. */
export function dayNumber(year: number, month: number, day: number): number {
  const shiftedYear = month <= 2 ? year - 1 : year
  const era = Math.floor(shiftedYear / 400)
  const yearOfEra = shiftedYear - era * 400
  const monthFromMarch = month > 2 ? month - 3 : month + 9
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5) + day - 1
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - 719_468
}

/** Returns the number of days of a month; 0 for a month that does not exist. */
export function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : (MONTH_DAYS[month] ?? 0)
}
