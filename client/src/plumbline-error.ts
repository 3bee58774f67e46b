/** What a program can branch on, whatever the operation was. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'tooLarge'
  | 'tooMany'
  | 'unavailable'
  | 'network'
  | 'timeout'
  | 'unreadable'
  | 'internal'

type ErrorParts = {
  name: string
  message: string
  /** The status of the response; undefined where there was none. */
  status?: number | undefined
  /** Default: that of the status. */
  kind?: ErrorKind
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/** A call that failed: an error response of the service, or no response at all. */
export class PlumblineError extends Error {
  readonly kind: ErrorKind
  /** The status of the response; undefined where there was none. */
  readonly status: number | undefined
  /** Seconds to wait before the next attempt, where the response has `Retry-After`. */
  readonly retryAfterSeconds: number | undefined

  constructor({ name, message, status, kind, retryAfterSeconds, cause }: ErrorParts) {
    super(message, cause === undefined ? {} : { cause })
    this.name = name
    this.status = status
    this.kind = kind ?? kindOf(status ?? 0)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const KINDS: Readonly<Record<number, ErrorKind>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'notFound',
  408: 'timeout',
  409: 'conflict',
  413: 'tooLarge',
  429: 'tooMany',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
}

const kindOf = (status: number): ErrorKind =>
  KINDS[status] ?? (status >= 400 && status < 500 ? 'invalid' : 'internal')
