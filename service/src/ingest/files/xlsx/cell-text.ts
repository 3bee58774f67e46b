import { DAY_MS, formatClock, formatDay } from '../../../domain/time/wall-clock.ts'

/** How a number format shows a number as a time: with a date, with a clock, or with both. */
export type TimeStyle = { hasDate: boolean; hasClock: boolean }

/**
 * Number formats that every workbook has without stating them, ECMA-376 part 1, 18.8.30: dates, and
 * those with a clock.
 */
const DATE_IDS = new Set([14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58])
const CLOCK_IDS = new Set([18, 19, 20, 21, 22, 32, 33, 34, 35, 45, 47, 55, 56])

/** The time style of a number format without a code of its own; undefined for numbers. */
export function styleOfId(id: number): TimeStyle | undefined {
  const style = { hasDate: DATE_IDS.has(id), hasClock: CLOCK_IDS.has(id) }
  return style.hasDate || style.hasClock ? style : undefined
}

/** The time style of a number format such as `dd/mm/yyyy hh:mm`; undefined for numbers. */
export function styleOfCode(code: string): TimeStyle | undefined {
  // An elapsed time is a duration: the number of days.
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return undefined
  // Quoted and escaped characters are text; brackets hold colours and languages.
  const [positive = ''] = code.replaceAll(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '').split(';')
  const letters = positive.toLowerCase()
  if (/general/.test(letters)) return undefined
  const hasClock = /[hs]/.test(letters)
  const hasDate = /[yd]/.test(letters) || (/m/.test(letters) && !hasClock)
  return hasDate || hasClock ? { hasDate, hasClock } : undefined
}

/** The days from 1970 to the day 0 of a workbook: 1899-12-30, or 1904-01-01. */
const DAY_ZERO = { 1900: -25_569, 1904: -24_107 } as const

/** A number that is shown as a time: `2026-01-31 13:45:30.250`, or its date or clock alone. */
export function formatSerial(serial: number, { hasDate, hasClock }: TimeStyle, is1904: boolean) {
  const inDays = Math.floor(serial)
  // Serial numbers of clock times are rounded in the 10th digit: a millisecond is exact.
  const all = inDays * DAY_MS + Math.round((serial - inDays) * DAY_MS)
  const day = Math.floor(all / DAY_MS)
  const inDay = all - day * DAY_MS
  const fraction = inDay % 1000 === 0 ? '' : `.${String(inDay % 1000).padStart(3, '0')}`
  const clock = `${formatClock(Math.floor(inDay / 1000))}${fraction}`
  if (!hasDate && day === 0) return clock
  const date = formatDay(day + (is1904 ? DAY_ZERO[1904] : DAY_ZERO[1900]))
  return !hasClock && inDay === 0 ? date : `${date} ${clock}`
}
