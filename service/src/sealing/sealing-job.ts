import type { Logger } from 'pino'
import { holdLease } from '../background/hold-lease.ts'
import { startPeriodicJob } from '../background/periodic-job.ts'
import { reclaimSpace } from '../background/reclaim-space.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { sealPast } from './seal-past.ts'

const DAY = 86_400_000
const MINUTE = 60_000
/** A service that has just been started has better things to do. */
const FIRST_MILLISECONDS = 30_000

export type SealingJobOptions = {
  storage: Pick<Storage, 'sealedDays' | 'leases'>
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
 * Seals past days in the background, one instance at a time.
 *
 * Whoever holds the lease works; when it dies, another takes over within a minute.
 */
export function startSealing(options: SealingJobOptions): AsyncDisposable {
  const { log, everyMinutes, firstMilliseconds = FIRST_MILLISECONDS } = options
  return startPeriodicJob({
    run: (signal) => sealOnce(options, signal),
    onError: (error) => log.warn(`past days stay open for now: ${error.message}`),
    everyMilliseconds: everyMinutes * MINUTE,
    firstMilliseconds,
  })
}

/** What the background does each time; nothing while another instance is at it. */
export function sealOnce(options: SealingJobOptions, stop: AbortSignal): Promise<void> {
  const { storage, log, afterDays, share, now } = options
  return holdLease({ storage, name: 'sealing', now, signal: stop }, async (signal) => {
    const catalogue = await options.catalogue()
    const before = now() - afterDays * DAY
    const sealed = await sealPast({ storage, catalogue, share, signal, before })
    const { records, days, bytes, damages } = sealed
    for (const damage of damages) log.error(`damaged, and left as it is: ${damage}`)
    if (records === 0) return
    log.info({ records, days, bytes }, 'past days were sealed')
    await reclaimSpace({ storage, share, signal })
  })
}
