export type RefusedReason =
  'invalid' | 'unauthenticated' | 'forbidden' | 'absent' | 'tooLarge' | 'tooMany' | 'unavailable'

/** A refusal the caller may read. Every other error is our own fault. */
export class RefusedError extends Error {
  override name = 'RefusedError'
  readonly reason: RefusedReason
  /** When it is worth trying again, for `tooMany` and `unavailable`. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    reason: RefusedReason,
    message: string,
    options: ErrorOptions & { retryAfterSeconds?: number } = {},
  ) {
    super(message, options)
    this.reason = reason
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
