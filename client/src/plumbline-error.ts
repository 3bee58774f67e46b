type ErrorBody = { status: number; name: string; message: string }

/** An error response, with its status and the name and message of its body. */
export class PlumblineError extends Error {
  readonly status: number
  /** Seconds to wait before the next attempt, where the response has `Retry-After`. */
  readonly retryAfterSeconds: number | undefined

  constructor({ status, name, message }: ErrorBody, retryAfterSeconds?: number) {
    super(message)
    this.name = name
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}
