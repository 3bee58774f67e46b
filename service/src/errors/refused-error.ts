export type RefusedReason =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'absent'
  | 'conflict'
  | 'tooLarge'
  | 'tooMany'
  | 'unavailable'

/** An error whose message is for the caller. Every other error is a fault of the service. */
export class RefusedError extends Error {
  override name = 'RefusedError'
  readonly reason: RefusedReason
  /** When the caller may try again, for `tooMany` and `unavailable`. */
  readonly retryAfterSeconds: number | undefined
  /** The name of the error response, where callers branch on more than the reason. */
  readonly responseName: string | undefined

  constructor(
    reason: RefusedReason,
    message: string,
    options: ErrorOptions & { retryAfterSeconds?: number; responseName?: string } = {},
  ) {
    super(message, options)
    this.reason = reason
    this.retryAfterSeconds = options.retryAfterSeconds
    this.responseName = options.responseName
  }
}
