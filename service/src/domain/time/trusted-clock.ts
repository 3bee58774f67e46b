/** An instant of the clock, and by how much the clock was recently ahead of the running time. */
type ClockPoint = Readonly<{ instant: number; ahead: number }>

/** The state of the clock; plain JSON, in milliseconds. */
export type TrustedClock = Readonly<{
  /** The trusted time; `null` if there was nothing to compare the clock with. */
  trusted: ClockPoint | null
  /** The doubted time of the clock, and the running time that is left to confirm it. */
  doubted: (ClockPoint & Readonly<{ left: number }>) | null
}>

type ClockReading = Readonly<{
  now: number
  /** Running time since the previous reading, by a monotonic clock. */
  elapsed: number
  /** How far the clock may deviate from the running time, and the running time that confirms it. */
  tolerance: number
}>

/** A clock that is further behind is wrong at any tolerance. */
const BEHIND = 86_400_000

export const UNKNOWN_CLOCK: TrustedClock = { trusted: null, doubted: null }

/** The state of a clock that an operator has confirmed. */
export const confirmedAt = (instant: number): TrustedClock => ({
  trusted: { instant, ahead: 0 },
  doubted: null,
})

/**
 * Updates the state by one reading of the clock.
 *
 * Advances beyond the running time are summed up, also over pauses of the service, and running time
 * reduces the sum. While the clock is doubted, the trusted time advances by the running time only. A
 * clock more than a day behind the trusted time is never confirmed by running time.
 */
export function followClock(state: TrustedClock, reading: ClockReading): TrustedClock {
  const { now, elapsed, tolerance } = reading
  const trusted = state.trusted && advance(state.trusted, reading)
  if (trusted) return { trusted, doubted: null }

  const doubted = state.doubted && advance(state.doubted, reading)
  const held = state.trusted && {
    instant: state.trusted.instant + elapsed,
    ahead: Math.max(0, state.trusted.ahead - elapsed),
  }
  if (!state.doubted || !doubted)
    return { trusted: held, doubted: { instant: now, ahead: 0, left: tolerance } }
  const left = state.doubted.left - elapsed
  if (left <= 0 && !isBehind(now, held?.instant)) return confirmedAt(now)
  return { trusted: held, doubted: { ...doubted, left: Math.max(0, left) } }
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

/** Whether a clock is more than a day behind an instant that it has reached before. */
export const isBehind = (now: number, reached: number | undefined): boolean =>
  reached !== undefined && now < reached - BEHIND

/**
 * Returns the instant that deletion by age uses, `elapsed` milliseconds of running time after the
 * last reading; -Infinity if no time is trusted.
 */
export function trustedTime({ trusted }: TrustedClock, now: number, elapsed: number): number {
  return trusted === null ? -Infinity : Math.min(now, trusted.instant + elapsed)
}
