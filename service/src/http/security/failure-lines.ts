import type { Who } from './authenticate.ts'

const HOUR = 3_600_000

/** Lines of one account or application in an hour, for each kind of failure. */
const LINES_PER_HOUR = { refused: 20, failed: 100 } as const

/** A change that the role or scope does not allow, or one that was refused or failed for another reason. */
export type Failure = keyof typeof LINES_PER_HOUR

/** How a change of a status failed; undefined where it was done, or may have been in part. */
export function failureOf(status: number): Failure | undefined {
  if (status === 403) return 'refused'
  return (status >= 400 && status < 500) || status === 503 ? 'failed' : undefined
}

/** Counts the failures of each caller, so that nobody fills the audit log, which is kept for ever. */
export class FailureLines {
  readonly #counts = new Map<string, { hour: number; count: number }>()

  /** Counts a failure; says whether it leaves a line, and of the first that does not, that it is the first. */
  count({ kind, name }: Who, failure: Failure, at: number): 'line' | 'first without' | 'without' {
    const key = `${failure} ${kind} ${name}`
    const hour = Math.floor(at / HOUR)
    const known = this.#counts.get(key)
    const count = known?.hour === hour ? known.count + 1 : 1
    this.#counts.set(key, { hour, count })
    const over = count - LINES_PER_HOUR[failure]
    if (over <= 0) return 'line'
    return over === 1 ? 'first without' : 'without'
  }
}
