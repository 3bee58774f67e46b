import { setImmediate } from 'node:timers/promises'
import type { Catalogue } from '../domain/site/catalogue.ts'
import { localDayAt } from '../domain/time/local-day.ts'
import { RETAINED_KINDS, structuresOf } from '../domain/records/record-sources.ts'
import { dailyShare } from '../domain/retention/retention-share.ts'
import type { RetainedKind } from '../domain/retention/retained-kind.ts'
import { retentionCutoff } from '../domain/retention/retention-period.ts'
import type { GrantedShare } from '../storage/storage.ts'
import {
  ExpiredTally,
  expireSource,
  listExpiring,
  type Expired,
  type ExpiringKind,
  type RecordExpiryOptions,
} from './expire-records.ts'

const DAY = 86_400_000
/** A structure without new records for this time is called silent. */
const SILENT_MILLISECONDS = 2 * DAY

type DailyOptions = RecordExpiryOptions & {
  /** The part of a structure's records of one kind that may be deleted in a day. */
  maxShareOfDay: number
}

/** Expired records that are not deleted yet. */
export type Withheld = {
  structure: number
  kind: RetainedKind
  reason: 'silent' | 'share'
  /** Records before this instant are deleted; `null` where none are. */
  before: number | null
  /** Records before this instant have expired. */
  expiredBefore: number
}

/**
 * Deletes expired records without a command: never more than a share of a structure a day, and none
 * that has expired only since the newest record of the structure.
 */
export async function expireDaily(
  options: DailyOptions,
): Promise<{ expired: Expired[]; withheld: Withheld[] }> {
  const { now } = options
  const tally = new ExpiredTally()
  const withheld: Withheld[] = []
  const arrivals = new Arrivals(options)
  for (const kind of listExpiring(options, now)) {
    if (options.signal?.aborted === true) break
    if (!(await hasOlder(options, kind, kind.before))) continue
    const arrived = await arrivals.find(kind)
    const before =
      arrived === undefined ? -Infinity : retentionCutoff(kind.period, arrived, kind.zone)
    const reached = await expireKind(options, kind, before, tally)
    const isSilent = arrived === undefined || now - arrived > SILENT_MILLISECONDS
    const report = (reason: Withheld['reason'], instant: number) =>
      withheld.push({
        structure: kind.structure,
        kind: kind.kind,
        reason,
        before: instant === -Infinity ? null : instant,
        expiredBefore: kind.before,
      })
    if (await hasOlder(options, kind, before)) report('share', reached)
    else if (isSilent && (await hasOlder(options, kind, kind.before))) report('silent', before)
  }
  return { expired: tally.list(), withheld }
}

/** Deletes as many records as the share of the day allows; returns the instant before which it deleted. */
async function expireKind(
  options: DailyOptions,
  kind: ExpiringKind,
  before: number,
  tally: ExpiredTally,
): Promise<number> {
  if (!(await hasOlder(options, kind, before))) return before
  const share = await takeShare(options, kind)
  const until = Math.min(before, share.until)
  let left = share.records
  for (const source of kind.sources) {
    const what = { kind: kind.kind, source, before: until, shareOf: kind.structure }
    await expireSource(options, what, (records) => {
      tally.add(kind.structure, kind.kind, records)
      return (left = Math.max(0, left - records))
    })
  }
  return until
}

/** The rest of the share of the day; a new share after a day. */
async function takeShare(
  { storage: { retention }, now, maxShareOfDay }: DailyOptions,
  { structure, kind, zone, sources }: ExpiringKind,
): Promise<GrantedShare> {
  const known = await retention.findShare(structure, kind)
  if (known !== undefined && Math.abs(now - known.grantedAt) < DAY) return known
  const counts = []
  for (const source of sources) {
    counts.push(...(await retention.countDays(kind, source)))
    await setImmediate()
  }
  const { records, until } = dailyShare(counts, maxShareOfDay)
  // Days of UTC end within local days, which are deleted as a whole.
  const end = Number.isFinite(until) ? localDayAt(until - 1, zone).until : 0
  const share = { grantedAt: now, records, until: end }
  await retention.putShare(structure, kind, share)
  return share
}

async function hasOlder(
  { storage: { retention } }: DailyOptions,
  { kind, sources }: ExpiringKind,
  before: number,
): Promise<boolean> {
  for (const source of sources) {
    const oldest = await retention.findOldest(kind, source)
    if (oldest !== undefined && oldest < before) return true
    await setImmediate()
  }
  return false
}

/** The newest record of each structure, of any kind, up to now. */
class Arrivals {
  readonly #options: DailyOptions
  readonly #found = new Map<number, number | undefined>()

  constructor(options: DailyOptions) {
    this.#options = options
  }

  async find({ structure, zone }: ExpiringKind): Promise<number | undefined> {
    if (this.#found.has(structure)) return this.#found.get(structure)
    const newest = await this.#search(structure, localDayAt(this.#options.now, zone).start)
    this.#found.set(structure, newest)
    return newest
  }

  /** Stops at a record of today: a newer one makes no difference. */
  async #search(structure: number, today: number): Promise<number | undefined> {
    const { storage, catalogue, now } = this.#options
    let newest: number | undefined
    for (const { kind, source } of sourcesOf(catalogue, structure)) {
      const instant = await storage.retention.findNewest(kind, source, now)
      if (instant !== undefined) newest = Math.max(newest ?? instant, instant)
      if (newest !== undefined && newest >= today) break
      await setImmediate()
    }
    return newest
  }
}

/** The sources of a structure that can have records. */
function* sourcesOf(catalogue: Catalogue, structure: number) {
  for (const kind of RETAINED_KINDS)
    for (const [source, home] of structuresOf(catalogue, kind))
      if (home.entry.id === structure) yield { kind, source }
}
