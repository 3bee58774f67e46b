export type Refusal =
  'invalid' | 'unauthenticated' | 'forbidden' | 'absent' | 'tooLarge' | 'tooMany' | 'unavailable'

/** A refusal the caller may read. Every other error is our own fault. */
export class RefusedError extends Error {
  override name = 'RefusedError'
  readonly refusal: Refusal
  /** When it is worth trying again, for `tooMany` and `unavailable`. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    refusal: Refusal,
    message: string,
    options: ErrorOptions & { retryAfterSeconds?: number } = {},
  ) {
    super(message, options)
    this.refusal = refusal
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
