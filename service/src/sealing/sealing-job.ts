import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Catalogue } from '../domain/catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { forgetPast, type RetentionOptions } from './retention.ts'
import { giveSpaceBack } from './give-space-back.ts'
import { sealPast } from './seal-past.ts'

const DAY = 86_400_000
const LEASE = 'sealing'
const LEASE_MILLISECONDS = 60_000
const FIRST_MILLISECONDS = 30_000

export type SealingJobOptions = {
  storage: Pick<Storage, 'seals' | 'retention' | 'leases'>
  catalogue(): Promise<Catalogue>
  log: Logger
  afterDays: number
  everyMinutes: number
  share: number
  /** How long after the start past days are first looked for. */
  firstMilliseconds?: number | undefined
  now(): number
}

/**
 * Forgets what is past its term and seals past days, in the background, one instance at a time.
 *
 * Whoever holds the lease works; when it dies, another takes over within a minute.
 */
export function startSealing(options: SealingJobOptions): AsyncDisposable {
  const { log, everyMinutes, firstMilliseconds = FIRST_MILLISECONDS } = options
  const stop = new AbortController()
  let running: Promise<void> = Promise.resolve()
  const run = (): void => {
    running = running
      .then(() => runOnce(options, stop.signal))
      .catch((error: Error) => log.warn(`past days stay open for now: ${error.message}`))
  }
  // A service that has just been started has better things to do.
  const first = setTimeout(run, firstMilliseconds).unref()
  const timer = setInterval(run, everyMinutes * 60_000).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(first)
      clearInterval(timer)
      stop.abort()
      await running
    },
  }
}

/** What the background does each time; nothing while another instance is at it. */
export async function runOnce(options: SealingJobOptions, signal: AbortSignal): Promise<void> {
  const { storage, catalogue, log, afterDays, share, now } = options
  const holder = randomUUID()
  const takeLease = () =>
    storage.leases.take({ name: LEASE, holder, now: now(), until: now() + LEASE_MILLISECONDS })
  if (signal.aborted || !(await takeLease())) return

  const lost = new AbortController()
  const keeping = setInterval(() => {
    takeLease().then(
      (isMine) => isMine || lost.abort(),
      () => lost.abort(),
    )
  }, LEASE_MILLISECONDS / 4)
  try {
    const work = {
      storage,
      catalogue: await catalogue(),
      share,
      signal: AbortSignal.any([signal, lost.signal]),
    }
    const isForgotten = await forget({ ...work, now: now() }, log)
    const sealed = await sealPast({ ...work, before: now() - afterDays * DAY })
    const { records, days, bytes, damages } = sealed
    for (const damage of damages) log.error(`damaged, and left as it is: ${damage}`)
    if (records > 0) log.info({ records, days, bytes }, 'past days were sealed')
    if (isForgotten || records > 0) await giveSpaceBack(work)
  } finally {
    clearInterval(keeping)
    await storage.leases.leave(LEASE, holder)
  }
}

/** Whether anything went; what cannot go now does not keep days from being sealed. */
async function forget(options: RetentionOptions, log: Logger): Promise<boolean> {
  try {
    const forgotten = await forgetPast(options)
    for (const counts of forgotten) log.info(counts, 'records past their term were deleted')
    return forgotten.length > 0
  } catch (error) {
    log.warn(`records past their term stay for now: ${(error as Error).message}`)
    return false
  }
}
