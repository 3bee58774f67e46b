/** The retries of a failed delivery, in milliseconds. */
export type BackOff = Readonly<{
  /** The pause after the first failure; each further failure doubles it. */
  first: number
  longest: number
  /** The age at which a delivery that still fails is given up. */
  giveUpAfter: number
}>

type AfterFailure = Readonly<{ kind: 'retry'; at: number } | { kind: 'giveUp' }>

/** Returns the pause after a number of failures; `jitter` from 0 to 1 scales it from half to full. */
export function pauseAfter(failures: number, jitter: number, { first, longest }: BackOff): number {
  const whole = Math.min(longest, first * 2 ** Math.min(failures - 1, 60))
  return Math.ceil(whole * (0.5 + jitter / 2))
}

/** The minimum number of attempts before a delivery is given up. */
export const LEAST_TRIES = 5

/**
 * Returns when a failed delivery is retried, at the latest when its time is over, or that it is given
 * up. A receiver's `Retry-After` is respected up to the longest pause.
 */
export function afterFailure(
  failure: Readonly<{
    /** The number of failures in a row, including this one. */
    failures: number
    /** The waiting time by the trusted time. */
    age: number
    /** Whether it may be given up by the running time, too. */
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
  const requested = Math.min(retryAfter, settings.longest)
  const pause = Math.max(pauseAfter(failures, jitter, settings), requested)
  return { kind: 'retry', at: now + (left > 0 ? Math.min(pause, Math.ceil(left)) : pause) }
}
