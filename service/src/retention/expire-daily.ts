import { setImmediate } from 'node:timers/promises'
import type { Catalogue } from '../domain/site/catalogue.ts'
import { localDayAt } from '../domain/time/local-day.ts'
import { RETAINED_KINDS, structuresOf } from '../domain/records/record-sources.ts'
import { dailyShare } from '../domain/retention/retention-share.ts'
import { retentionCutoff, type RetainedKind } from '../domain/retention/retention-period.ts'
import type { GrantedShare } from '../storage/storage.ts'
import {
  ExpiredTally,
  expireSource,
  listExpiring,
  type Expired,
  type ExpiringKind,
  type ExpiryOptions,
} from './expire-records.ts'

const DAY = 86_400_000
/** A structure that sent nothing for so long is called silent. */
const SILENT_MILLISECONDS = 2 * DAY

type DailyOptions = ExpiryOptions & {
  /** The part of a structure's records of one kind that may go in a day. */
  maxShareOfDay: number
}

/** Expired records that are not deleted yet. */
export type Withheld = {
  structure: number
  kind: RetainedKind
  reason: 'silent' | 'share'
  /** Records before this instant are deleted; `null`: none are. */
  before: number | null
  /** Records before this instant have expired. */
  term: number
}

/**
 * Deletes records past their term as nobody asked for it: never more than a share of a structure a
 * day, and counted from the newest record that arrived for the structure at the latest.
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
      arrived === undefined ? -Infinity : retentionCutoff(kind.term, arrived, kind.zone)
    const reached = await expireKind(options, kind, before, tally)
    const isSilent = arrived === undefined || now - arrived > SILENT_MILLISECONDS
    const report = (reason: Withheld['reason'], instant: number) =>
      withheld.push({
        structure: kind.structure,
        kind: kind.kind,
        reason,
        before: instant === -Infinity ? null : instant,
        term: kind.before,
      })
    if (await hasOlder(options, kind, before)) report('share', reached)
    else if (isSilent && (await hasOlder(options, kind, kind.before))) report('silent', before)
  }
  return { expired: tally.list(), withheld }
}

/** Deletes what the share of the day allows; gives the instant that it reached to. */
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

/** What is left of the share of the day; a new day has a new one. */
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
  // Days of UTC end within local ones, and these go whole.
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

/** The newest record that arrived for a structure, of whatever kind, but none of the future. */
class Arrivals {
  readonly #options: DailyOptions
  readonly #found = new Map<number, number | undefined>()

  constructor(options: DailyOptions) {
    this.#options = options
  }

  async find({ structure, zone }: ExpiringKind): Promise<number | undefined> {
    if (this.#found.has(structure)) return this.#found.get(structure)
    const newest = await this.#look(structure, localDayAt(this.#options.now, zone).start)
    this.#found.set(structure, newest)
    return newest
  }

  /** One of today proves as much as any other. */
  async #look(structure: number, today: number): Promise<number | undefined> {
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

/** Everything of a structure that has records. */
export function* sourcesOf(catalogue: Catalogue, structure: number) {
  for (const kind of RETAINED_KINDS)
    for (const [source, home] of structuresOf(catalogue, kind))
      if (home.entry.id === structure) yield { kind, source }
}
