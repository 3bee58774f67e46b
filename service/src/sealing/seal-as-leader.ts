import type { Logger } from 'pino'
import { Leadership } from '../background/leadership.ts'
import { reclaimSpace } from '../background/reclaim-space.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { sealPast } from './seal-past.ts'
import type { SealingCounts } from './sealing-counts.ts'

const DAY = 86_400_000

type SealingJobOptions = {
  storage: Pick<Storage, 'sealedDays' | 'leases'>
  catalogue(): Promise<Catalogue>
  log: Logger
  afterDays: number
  /** The part of one core's time that it takes. */
  share: number
  counts?: SealingCounts
  now(): number
}

/** Seals past days, unless another instance is doing so. */
export async function sealAsLeader(options: SealingJobOptions, stop: AbortSignal): Promise<void> {
  const { storage, log, afterDays, share, now } = options
  const leadership = new Leadership({ name: 'sealing', leases: storage.leases, now })
  await leadership.run(async (signal) => {
    const catalogue = await options.catalogue()
    const before = now() - afterDays * DAY
    const sealed = await sealPast({ storage, catalogue, share, signal, before })
    options.counts?.note(sealed, now())
    const { records, days, bytes, damages } = sealed
    for (const damage of damages) log.error(`A damaged day was not sealed: ${damage}`)
    if (records === 0) return
    log.info({ records, days, bytes }, 'past days were sealed')
    await reclaimSpace(storage, { share, signal })
  }, stop)
}
