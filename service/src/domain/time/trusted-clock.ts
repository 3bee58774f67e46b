/** An instant that the clock has reached, and by how much it went ahead of the running time lately. */
type ClockPoint = Readonly<{ instant: number; ahead: number }>

/** What is known of the clock; plain JSON, in milliseconds. */
export type TrustedClock = Readonly<{
  /** The trusted time; `null` where nothing was known to compare the clock with. */
  trusted: ClockPoint | null
  /** Where it stands while that is doubted, and how much running time confirms it. */
  doubted: (ClockPoint & Readonly<{ left: number }>) | null
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

export const UNKNOWN_CLOCK: TrustedClock = { trusted: null, doubted: null }

/** The state of a clock that an operator has confirmed. */
export const confirmedAt = (instant: number): TrustedClock => ({
  trusted: { instant, ahead: 0 },
  doubted: null,
})

/**
 * Follows the clock by one reading.
 *
 * What goes ahead of the running time is summed up, pauses of the service included, and running time
 * takes as much off. While the clock is doubted the trusted time goes on by the running time alone.
 * No running time confirms a clock that is more than a day behind the trusted time.
 */
export function followClock(state: TrustedClock, reading: ClockReading): TrustedClock {
  const { now, elapsed, tolerance } = reading
  const trusted = state.trusted && advance(state.trusted, reading)
  if (trusted) return { trusted, doubted: null }

  const known = state.doubted && advance(state.doubted, reading)
  const held = state.trusted && {
    instant: state.trusted.instant + elapsed,
    ahead: Math.max(0, state.trusted.ahead - elapsed),
  }
  if (!state.doubted || !known)
    return { trusted: held, doubted: { instant: now, ahead: 0, left: tolerance } }
  const left = state.doubted.left - elapsed
  if (left <= 0 && !isBehind(now, held?.instant)) return confirmedAt(now)
  return { trusted: held, doubted: { ...known, left: Math.max(0, left) } }
}

function advance(
  { instant, ahead }: ClockPoint,
  { now, elapsed, tolerance }: ClockReading,
): ClockPoint | null {
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
 * every instant where no time is trusted.
 */
export function trustedTime({ trusted }: TrustedClock, now: number, elapsed: number): number {
  return trusted === null ? -Infinity : Math.min(now, trusted.instant + elapsed)
}
