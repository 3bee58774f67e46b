type Failure = { status: number; name: string; message: string }

/** An answer that is no success: its status, and the name and message of its body. */
export class PlumblineError extends Error {
  readonly status: number
  /** Seconds to wait before trying again, where the service names them. */
  readonly retryAfterSeconds: number | undefined

  constructor({ status, name, message }: Failure, retryAfterSeconds?: number) {
    super(message)
    this.name = name
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}
