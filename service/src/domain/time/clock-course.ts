/** An instant that the clock has reached, and by how much it went ahead of the running time lately. */
type Line = Readonly<{ instant: number; ahead: number }>

/** How the clock has gone so far; plain JSON, in milliseconds. */
export type ClockCourse = Readonly<{
  /** What the clock has proven; `null` where nothing was known to hold it against. */
  proven: Line | null
  /** Where it stands while that is doubted, and how much running time confirms it. */
  doubted: (Line & Readonly<{ left: number }>) | null
}>

export type ClockReading = Readonly<{
  now: number
  /** Running time since the reading before, by a clock that nobody sets. */
  elapsed: number
  /** So far the clock may leave the running time; and so much running time confirms it anyway. */
  tolerance: number
}>

/** Further behind what is known a clock is wrong, whatever the tolerance of deletion by age. */
const BEHIND = 86_400_000

export const UNKNOWN_COURSE: ClockCourse = { proven: null, doubted: null }

/** The course of a clock that somebody has confirmed. */
export const confirmedAt = (instant: number): ClockCourse => ({
  proven: { instant, ahead: 0 },
  doubted: null,
})

/**
 * Follows the clock by one reading.
 *
 * What goes ahead of the running time is summed up, pauses of the service included, and running time
 * takes as much off. While the clock is doubted the proven instant goes on by the running time alone.
 * No running time confirms a clock that is more than a day behind the proven instant.
 */
export function followClock(course: ClockCourse, reading: ClockReading): ClockCourse {
  const { now, elapsed, tolerance } = reading
  const proven = course.proven && advance(course.proven, reading)
  if (proven) return { proven, doubted: null }

  const known = course.doubted && advance(course.doubted, reading)
  const held = course.proven && {
    instant: course.proven.instant + elapsed,
    ahead: Math.max(0, course.proven.ahead - elapsed),
  }
  if (known && course.doubted!.left <= elapsed && !isBehind(now, held?.instant))
    return confirmedAt(now)
  const doubted = known
    ? { ...known, left: Math.max(0, course.doubted!.left - elapsed) }
    : { instant: now, ahead: 0, left: tolerance }
  return { proven: held, doubted }
}

function advance({ instant, ahead }: Line, { now, elapsed, tolerance }: ClockReading): Line | null {
  const jump = now - (instant + elapsed)
  const sum = Math.max(0, ahead - elapsed) + Math.max(0, jump)
  return sum > tolerance || jump < -Math.min(tolerance, BEHIND)
    ? null
    : { instant: now, ahead: sum }
}

/** Whether a clock is more than a day behind an instant that has been before. */
export const isBehind = (now: number, reached: number | undefined): boolean =>
  reached !== undefined && now < reached - BEHIND

/**
 * The instant that deletion by age counts from, so much running time after the last reading; before
 * every instant where nothing is proven.
 */
export function provenInstant({ proven }: ClockCourse, now: number, elapsed: number): number {
  return proven === null ? -Infinity : Math.min(now, proven.instant + elapsed)
}
