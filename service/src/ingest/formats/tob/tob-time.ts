import { DAY_MS, formatClock, formatDay } from '../../../domain/time/wall-clock.ts'

/** Campbell loggers count seconds of their own clock from the beginning of 1990. */
const BEGIN_SECONDS = Date.UTC(1990, 0, 1) / 1000
const DAY_SECONDS = DAY_MS / 1000
const SECOND_NANOSECONDS = 1_000_000_000

/** Formats a time of a logger as TOA5 does: `2026-01-31 13:45:30.05`. */
export function formatTobTime(seconds: number, nanoseconds: number): string {
  const whole = BEGIN_SECONDS + seconds + Math.floor(nanoseconds / SECOND_NANOSECONDS)
  const rest = nanoseconds % SECOND_NANOSECONDS
  const day = Math.floor(whole / DAY_SECONDS)
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(9, '0').replace(/0+$/, '')}`
  return `${formatDay(day)} ${formatClock(whole - day * DAY_SECONDS)}${fraction}`
}
