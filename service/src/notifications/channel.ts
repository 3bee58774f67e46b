import type { Notification } from '../domain/notifications/notification.ts'

/** A notification channel. */
export interface Channel {
  /** The name in rules, deliveries and commands. */
  readonly name: string

  /**
   * Resolves once the receiver has confirmed the message, with a remark if there is one. Rejects with a
   * `SendError`.
   */
  send(message: Notification, signal: AbortSignal): Promise<string | undefined>
}

/** Why a message was not delivered, without secrets. */
export class SendError extends Error {
  override name = 'SendError'
  /** Whether the receiver refuses this message, and may accept others. */
  readonly isAboutMessage: boolean
  /** The pause that the receiver asks for, in milliseconds. */
  readonly retryAfter: number | undefined

  constructor(
    message: string,
    options: ErrorOptions & { isAboutMessage?: boolean; retryAfter?: number | undefined } = {},
  ) {
    super(message, options)
    this.isAboutMessage = options.isAboutMessage ?? false
    this.retryAfter = options.retryAfter
  }
}

/** The code or the name of an error of a library: its message may have secrets. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown error'
  const code: unknown = 'code' in error ? error.code : undefined
  return typeof code === 'string' || typeof code === 'number' ? String(code) : error.name
}

/** Waits for work that cannot be aborted, until a signal or for a number of seconds. */
export async function within<Result>(
  work: Promise<Result>,
  seconds: number,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted()
  const end = Promise.withResolvers<never>()
  const giveUp = (): void => end.reject(signal.reason)
  const timer = setTimeout(
    () => end.reject(new SendError(`no response within ${seconds} seconds`)),
    seconds * 1000,
  )
  signal.addEventListener('abort', giveUp)
  try {
    return await Promise.race([work, end.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
    // A later failure must not count as unhandled.
    work.catch(() => {})
  }
}
