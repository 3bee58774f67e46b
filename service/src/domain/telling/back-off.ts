/** How long a delivery that fails is tried again, in milliseconds. */
export type BackOff = Readonly<{
  /** The pause after the first failure; each further one doubles it. */
  first: number
  longest: number
  /** Given up when it still fails so long after it was due. */
  giveUpAfter: number
}>

/** What becomes of a delivery that has failed. */
export type AfterFailure = Readonly<{ kind: 'retry'; at: number } | { kind: 'giveUp' }>

/** The pause after so many failures, `jitter` from 0 to 1 taking it from one half to the whole. */
export function pauseAfter(failures: number, jitter: number, { first, longest }: BackOff): number {
  const whole = Math.min(longest, first * 2 ** Math.min(failures - 1, 60))
  return Math.ceil(whole * (0.5 + jitter / 2))
}

/**
 * Says when a delivery that has failed is tried next. The last time is when its term is over, and
 * a receiver's own wish to wait is heard up to there.
 */
export function afterFailure(
  failure: Readonly<{
    /** How many times in a row, this one included. */
    failures: number
    dueAt: number
    now: number
    jitter: number
    retryAfter?: number | undefined
  }>,
  settings: BackOff,
): AfterFailure {
  const { failures, dueAt, now, jitter, retryAfter = 0 } = failure
  const end = dueAt + settings.giveUpAfter
  if (now >= end) return { kind: 'giveUp' }
  const pause = Math.max(pauseAfter(failures, jitter, settings), retryAfter)
  return { kind: 'retry', at: Math.min(now + pause, end) }
}
