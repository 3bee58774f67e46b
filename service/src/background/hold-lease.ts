import { randomUUID } from 'node:crypto'
import type { Storage } from '../storage/storage.ts'

const LEASE_MILLISECONDS = 60_000

type Options = {
  storage: Pick<Storage, 'leases'>
  name: string
  now(): number
  signal: AbortSignal
}

/**
 * Works while it holds a lease; does nothing while another instance holds it.
 *
 * The signal that the work gets tells it to end, also when the lease was lost.
 */
export async function holdLease(
  { storage, name, now, signal }: Options,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const holder = randomUUID()
  const take = () =>
    storage.leases.take({ name, holder, now: now(), until: now() + LEASE_MILLISECONDS })
  if (signal.aborted || !(await take())) return

  const lost = new AbortController()
  const keeping = setInterval(() => {
    take().then(
      (isMine) => isMine || lost.abort(),
      () => lost.abort(),
    )
  }, LEASE_MILLISECONDS / 4)
  try {
    await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    clearInterval(keeping)
    await storage.leases.leave(name, holder)
  }
}
