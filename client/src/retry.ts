import { PlumblineError } from './plumbline-error.ts'

/** What retries need of time and chance. */
export type Clock = {
  now(): number
  /** A number from 0 to less than 1. */
  random(): number
  /** Rejects with the reason of the signal when that is aborted. */
  wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void>
}

export type RetryOptions = {
  retries: number
  signal: AbortSignal | undefined
  /** When the call times out, in milliseconds of the clock. */
  deadline: number
  clock: Clock
}

/** A call that would wait longer for its next attempt fails at once. */
export const LONGEST_WAIT_MILLISECONDS = 60_000

const FIRST_WAIT_MILLISECONDS = 500
const LONGEST_OWN_WAIT_MILLISECONDS = 30_000

/** Repeats what failed for a reason that passes, with growing waits; throws the last error. */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { retries, signal, deadline, clock }: RetryOptions,
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (failures >= retries || !isPassing(error)) throw error
      const wait = waitBefore(failures, error.retryAfterSeconds, clock.random())
      if (wait > LONGEST_WAIT_MILLISECONDS || clock.now() + wait >= deadline) throw error
      await clock.wait(wait, signal)
    }
  }
}

/** Milliseconds to wait: half of a doubling time by chance, and never less than the service asks. */
export function waitBefore(
  failures: number,
  retryAfterSeconds: number | undefined,
  random: number,
): number {
  const whole = Math.min(FIRST_WAIT_MILLISECONDS * 2 ** failures, LONGEST_OWN_WAIT_MILLISECONDS)
  const own = (whole / 2) * (1 + random)
  if (retryAfterSeconds === undefined) return own
  // Clients that were refused together should not come back together.
  return Math.max(own, retryAfterSeconds * 1000 + FIRST_WAIT_MILLISECONDS * random)
}

/** A timeout of this client has no status: its time is over. */
const isPassing = (error: unknown): error is PlumblineError =>
  error instanceof PlumblineError &&
  (error.kind === 'network' ||
    error.kind === 'unavailable' ||
    error.kind === 'tooMany' ||
    error.status === 408)

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = () => {
        clearTimeout(timer)
        reject(signal!.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }, milliseconds)
      signal?.addEventListener('abort', onAbort, { once: true })
    }),
}
