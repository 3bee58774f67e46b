import type { Logger } from 'pino'
import { holdLease } from '../background/hold-lease.ts'
import { startPeriodicJob } from '../background/periodic-job.ts'
import { reclaimSpace } from '../background/reclaim-space.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { expireDaily, type Held } from './expire-daily.ts'

const MINUTE = 60_000
/** A service that has just been started has better things to do. */
const FIRST_MILLISECONDS = 30_000

export type RetentionJobOptions = {
  storage: Pick<Storage, 'retention' | 'seals' | 'leases'>
  catalogue(): Promise<Catalogue>
  log: Logger
  everyMinutes: number
  /** The part of one core that it may take. */
  share: number
  maxShareOfDay: number
  firstMilliseconds?: number | undefined
  now(): number
  /** The instant that terms are counted from. */
  trustedNow(): number
}

export type RetentionJob = AsyncDisposable & {
  /** What stayed though it is past its term, when it was last looked at. */
  held(): readonly Held[]
  /** Looks once; nothing while another instance is at it. */
  run(signal: AbortSignal): Promise<void>
}

/** Deletes records past their term in the background, one instance at a time. */
export function startRetention(options: RetentionJobOptions): RetentionJob {
  const { storage, log, everyMinutes, firstMilliseconds = FIRST_MILLISECONDS, now } = options
  let held: readonly Held[] = []
  let said = new Set<string>()
  const expire = async (signal: AbortSignal): Promise<void> => {
    const { share, maxShareOfDay, trustedNow } = options
    const catalogue = await options.catalogue()
    const instant = trustedNow()
    if (instant === -Infinity) return
    const work = { storage, catalogue, share, signal, maxShareOfDay, now: instant }
    const outcome = await expireDaily(work)
    for (const counts of outcome.expired) log.info(counts, 'records past their term were deleted')
    held = outcome.held
    const sentences = new Set(held.map((one) => describeHeld(one)))
    for (const sentence of sentences.difference(said)) log.warn(sentence)
    said = sentences
    if (outcome.expired.length > 0) await reclaimSpace(work)
  }
  const run = (signal: AbortSignal) =>
    holdLease({ storage, name: 'retention', now, signal }, expire)
  const job =
    everyMinutes === 0
      ? undefined
      : startPeriodicJob({
          run,
          onError: (error) => log.warn(`records past their term stay for now: ${error.message}`),
          everyMilliseconds: everyMinutes * MINUTE,
          firstMilliseconds,
        })
  return {
    held: () => held,
    run,
    [Symbol.asyncDispose]: async () => job?.[Symbol.asyncDispose](),
  }
}

/** Says what stays and why, and what the operator can do. */
export function describeHeld({ structure, kind, reason, before, term }: Held): string {
  const reached = before === null ? 'none' : `those before ${show(before)}`
  const why =
    reason === 'silent'
      ? 'No newer record proves that their time has come.'
      : 'The rest follows day by day (retention.maxShareOfDay).'
  return `Structure ${structure}: of the ${kind} records before ${show(term)}, which are past their term, ${reached} may go for now. ${why} "plumbline retention --structure ${structure} --yes" deletes them all.`
}

const show = (instant: number): string => new Date(instant).toISOString()
