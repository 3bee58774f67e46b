/** How often and for how long a failed delivery is retried, in milliseconds. */
export type BackOff = Readonly<{
  /** The pause after the first failure; each further one doubles it. */
  first: number
  longest: number
  /** Given up when it still fails at this age. */
  giveUpAfter: number
}>

/** What to do with a failed delivery. */
export type AfterFailure = Readonly<{ kind: 'retry'; at: number } | { kind: 'giveUp' }>

/** The pause after a number of failures; `jitter` from 0 to 1 scales it from one half to the whole. */
export function pauseAfter(failures: number, jitter: number, { first, longest }: BackOff): number {
  const whole = Math.min(longest, first * 2 ** Math.min(failures - 1, 60))
  return Math.ceil(whole * (0.5 + jitter / 2))
}

/** Tries that precede giving up at least, whatever the clock says. */
export const LEAST_TRIES = 5

/**
 * Says when a failed delivery is tried next: last when its term is over. A receiver's `Retry-After` is
 * respected up to the longest pause.
 */
export function afterFailure(
  failure: Readonly<{
    /** How many times in a row, this one included. */
    failures: number
    /** How long it has waited, by the trusted time. */
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
