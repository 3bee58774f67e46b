import { randomUUID } from 'node:crypto'
import type { LeaseStore } from '../storage/storage.ts'

const TERM_MILLISECONDS = 10_000

/** Who could not renew a lease gives up what hangs on it so long before another can have it. */
const MARGIN_MILLISECONDS = 3000

const LOOK_MILLISECONDS = 2500

export type ByLeaseOptions<Opened> = {
  /** The lease: of all who name it one at a time has its thing open. */
  name: string
  leases: LeaseStore
  /** What is opened when the lease is ours, and closed when it is not any more. */
  open(): Opened
  /** Told when it is known that another instance holds the lease. */
  onOther(): void
  /** Told what keeps the lease from being asked for. */
  onFailure(error: Error): void
  now(): number
}

export type ByLease<Opened> = AsyncDisposable & {
  /** What is open here; undefined while the lease is not ours. */
  readonly opened: Opened | undefined
}

/**
 * Keeps something open in one instance at a time; it has asked for the lease when it returns.
 *
 * When an instance closes, another opens within seconds, and when one dies, within its term. Who
 * cannot renew the lease closes before it ends, whatever the database does.
 */
export async function openByLease<Opened extends AsyncDisposable>(
  options: ByLeaseOptions<Opened>,
): Promise<ByLease<Opened>> {
  const { name, leases, open, onOther, onFailure, now } = options
  const holder = randomUUID()
  const stop = new AbortController()
  let opened: Opened | undefined
  let closing: Promise<void> = Promise.resolve()
  let end: NodeJS.Timeout | undefined
  let isOther = false

  const close = (): void => {
    clearTimeout(end)
    const last = opened
    opened = undefined
    if (last !== undefined) closing = Promise.resolve(last[Symbol.asyncDispose]()).catch(onFailure)
  }
  const look = async (): Promise<void> => {
    const asked = now()
    const isMine = await leases.take({ name, holder, now: asked, until: asked + TERM_MILLISECONDS })
    if (!isMine && !isOther) onOther()
    isOther = !isMine
    await closing
    const left = asked + TERM_MILLISECONDS - MARGIN_MILLISECONDS - now()
    // An answer that took too long is as good as none.
    if (!isMine || left <= 0 || stop.signal.aborted) return close()
    clearTimeout(end)
    end = setTimeout(close, left).unref()
    opened ??= open()
  }

  let running: Promise<void> | undefined
  const lookOnce = (): Promise<void> =>
    (running ??= look()
      .catch(onFailure)
      .finally(() => (running = undefined)))
  await lookOnce()
  const looking = setInterval(lookOnce, LOOK_MILLISECONDS).unref()
  return {
    get opened() {
      return opened
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      clearInterval(looking)
      close()
      await running
      await closing
      await leases.leave(name, holder).catch(() => undefined)
    },
  }
}
