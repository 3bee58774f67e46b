import type { Logger } from 'pino'
import { Leadership } from '../background/leadership.ts'
import { reclaimSpace } from '../background/reclaim-space.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { expireDaily, type Withheld } from './expire-daily.ts'

type RetentionJobOptions = {
  storage: Pick<Storage, 'retention' | 'sealedDays' | 'leases'>
  catalogue(): Promise<Catalogue>
  log: Logger
  /** The part of one core's time that it takes. */
  share: number
  maxShareOfDay: number
  now(): number
  /** The instant from which retention periods count back. */
  trustedNow(): number
}

/** Deletes expired records, one instance at a time. */
export class RetentionJob {
  readonly #options: RetentionJobOptions
  #withheld: readonly Withheld[] = []
  #logged: ReadonlySet<string> = new Set()

  constructor(options: RetentionJobOptions) {
    this.#options = options
  }

  /** Expired records that the last run did not delete. */
  get withheld(): readonly Withheld[] {
    return this.#withheld
  }

  /** Deletes what has expired, unless another instance is doing so. */
  async run(stop: AbortSignal): Promise<void> {
    const { storage, now } = this.#options
    const leadership = new Leadership({ name: 'retention', leases: storage.leases, now })
    await leadership.run((signal) => this.#expire(signal), stop)
  }

  async #expire(signal: AbortSignal): Promise<void> {
    const { storage, log, share, maxShareOfDay, trustedNow } = this.#options
    const catalogue = await this.#options.catalogue()
    const now = trustedNow()
    if (now === -Infinity) return
    const pace = { share, signal }
    const { expired, withheld } = await expireDaily({
      ...pace,
      storage,
      catalogue,
      maxShareOfDay,
      now,
    })
    for (const counts of expired) log.info(counts, 'expired records were deleted')
    this.#withheld = withheld
    this.#logOnce(withheld.map(describeWithheld))
    if (expired.length > 0) await reclaimSpace(storage, pace)
  }

  /** A sentence is logged again only after a run without it. */
  #logOnce(sentences: readonly string[]): void {
    const current = new Set(sentences)
    for (const sentence of current.difference(this.#logged)) this.#options.log.warn(sentence)
    this.#logged = current
  }
}

/** Says what was not deleted and why, and what the operator can do. */
function describeWithheld({ structure, kind, reason, before, expiredBefore }: Withheld): string {
  const reached = before === null ? 'None of them' : `Of these, only those before ${show(before)}`
  const why =
    reason === 'silent'
      ? 'No newer record shows that the others have expired.'
      : 'The rest follows day by day (retention.maxShareOfDay).'
  return `Structure ${structure}: the ${kind} records before ${show(expiredBefore)} have expired. ${reached} can be deleted now. ${why} "plumbline retention --structure ${structure} --yes" deletes all of them.`
}

const show = (instant: number): string => new Date(instant).toISOString()
