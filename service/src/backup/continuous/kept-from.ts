const HOUR = 3_600_000
const DAY = 24 * HOUR

/**
 * The moment from which on pieces are kept: so many days before now. From one piece to the next one hour
 * counts at most. So a clock that is set ahead, or a service that was off for long, makes nothing old.
 */
export function keptFrom(moments: readonly number[], now: number, keepDays: number): number {
  let left = keepDays * DAY
  let later = now
  for (const moment of moments.toReversed()) {
    const gap = Math.min(Math.max(later - moment, 0), HOUR)
    if (gap > left) break
    left -= gap
    later = moment
  }
  return later - left
}
