import type { Notification } from '../domain/notifications/notification.ts'

/** A way to tell somebody. */
export interface Channel {
  /** Its name in rules, in the log of deliveries and in commands. */
  readonly name: string

  /**
   * Resolves once the receiver has confirmed that it has the message; with a sentence where there
   * is something to know nevertheless. Rejects with a `SendError`.
   */
  send(message: Notification, signal: AbortSignal): Promise<string | undefined>
}

/** Why a message did not arrive, in words that hold no secret. */
export class SendError extends Error {
  override name = 'SendError'
  /** The receiver refuses this message; others may still arrive. */
  readonly isAboutMessage: boolean
  /** So long the receiver asks us to wait, in milliseconds. */
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

/** Of an error of a library only what surely says nothing of what was sent. */
export function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  if (typeof code === 'string' || typeof code === 'number') return String(code)
  return typeof name === 'string' ? name : 'an unknown error'
}

/** Waits for something that cannot be aborted, no longer than a signal and a number of seconds. */
export async function within<Result>(
  work: Promise<Result>,
  seconds: number,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted()
  const end = Promise.withResolvers<never>()
  const giveUp = (): void => end.reject(signal.reason as Error)
  const timer = setTimeout(
    () => end.reject(new SendError(`no answer within ${seconds} seconds`)),
    seconds * 1000,
  )
  signal.addEventListener('abort', giveUp)
  try {
    return await Promise.race([work, end.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
    // Nobody waits for what comes later.
    work.catch(() => {})
  }
}
