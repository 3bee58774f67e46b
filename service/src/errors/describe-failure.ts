import { toError } from './thrown.ts'

/** The sentences of a log line: what failed and why, and, where it is tried again, when. */
export function describeFailure(
  operation: string,
  thrown: unknown,
  retryMilliseconds?: number | undefined,
): string {
  const { message } = toError(thrown)
  const failure = `${operation} failed: ${message}${message.endsWith('.') ? '' : '.'}`
  return retryMilliseconds === undefined
    ? failure
    : `${failure} The next attempt is in ${retryMilliseconds / 1000} s.`
}
