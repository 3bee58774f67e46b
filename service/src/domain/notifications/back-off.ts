/** How long a delivery that fails is tried again, in milliseconds. */
export type BackOff = Readonly<{
  /** The pause after the first failure; each further one doubles it. */
  first: number
  longest: number
  /** Given up when it still fails at this age. */
  giveUpAfter: number
}>

/** What becomes of a delivery that has failed. */
export type AfterFailure = Readonly<{ kind: 'retry'; at: number } | { kind: 'giveUp' }>

/** The pause after so many failures, `jitter` from 0 to 1 taking it from one half to the whole. */
export function pauseAfter(failures: number, jitter: number, { first, longest }: BackOff): number {
  const whole = Math.min(longest, first * 2 ** Math.min(failures - 1, 60))
  return Math.ceil(whole * (0.5 + jitter / 2))
}

/** So many tries at least precede giving up, whatever the clock says. */
export const LEAST_TRIES = 5

/**
 * Says when a delivery that has failed is tried next. The last time is when its term is over, and
 * a receiver's own wish to wait is heard up to the longest pause.
 */
export function afterFailure(
  failure: Readonly<{
    /** How many times in a row, this one included. */
    failures: number
    /** How long it waits by what the clock has proven. */
    age: number
    /** It may be given up by the running time, too. */
    mayEnd: boolean
    now: number
    jitter: number
    retryAfter?: number | undefined
  }>,
  settings: BackOff,
): AfterFailure {
  const { failures, age, mayEnd, now, jitter, retryAfter = 0 } = failure
  const left = settings.giveUpAfter - age
  if (left <= 0 && mayEnd && failures >= LEAST_TRIES) return { kind: 'giveUp' }
  const wish = Math.min(retryAfter, settings.longest)
  const pause = Math.max(pauseAfter(failures, jitter, settings), wish)
  return { kind: 'retry', at: now + (left > 0 ? Math.min(pause, Math.ceil(left)) : pause) }
}
