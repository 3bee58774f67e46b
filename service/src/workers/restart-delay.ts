const FIRST_MILLISECONDS = 1_000
const LONGEST_MILLISECONDS = 30_000

/** A worker that ran for so long did not fail because of its start. */
const STABLE_MILLISECONDS = 60_000

/**
 * How long to wait before a worker that has ended is started again: twice as long as the time before,
 * unless it ran for a minute.
 */
export const restartDelay = (before: number | undefined, ranMilliseconds: number): number =>
  before === undefined || ranMilliseconds >= STABLE_MILLISECONDS
    ? FIRST_MILLISECONDS
    : Math.min(2 * before, LONGEST_MILLISECONDS)
