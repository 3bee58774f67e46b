import { setImmediate } from 'node:timers/promises'
import { inShare, type CpuShare } from '../background/cpu-share.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { Zone } from '../domain/time/local-time.ts'
import { RETAINED_KINDS, structuresOf } from '../domain/records/record-sources.ts'
import type { RetainedKind } from '../domain/retention/retained-kind.ts'
import { retentionCutoff } from '../domain/retention/retention-period.ts'
import type { Storage } from '../storage/storage.ts'

/** About the number of records that one write deletes: other writes hardly wait for it. */
const LIMITS = { theme: 5_000, raw: 5_000, vibration: 16, traffic: 5_000 } as const

export type RecordExpiryOptions = CpuShare & {
  storage: Pick<Storage, 'retention'>
  catalogue: Catalogue
  now: number
  /** Only the records of one structure. */
  structure?: number | undefined
}

/** The number of expired records of a structure, by kind. */
export type Expired = { structure: number } & Record<RetainedKind, number>

/** A kind of records of a structure with a retention period, and the instant before which they expired. */
export type ExpiringKind = {
  structure: number
  zone: Zone
  kind: RetainedKind
  period: string
  sources: readonly number[]
  before: number
}

/**
 * Deletes every expired record, as a command asks for.
 *
 * Returns the counts of the structures with deleted records. It can be stopped and started again.
 */
export async function expireRecords(options: RecordExpiryOptions): Promise<Expired[]> {
  const tally = new ExpiredTally()
  for (const { structure, kind, sources, before } of listExpiring(options, options.now))
    for (const source of sources)
      await expireSource(options, { kind, source, before }, (records) => {
        tally.add(structure, kind, records)
        return Infinity
      })
  return tally.list()
}

/** Counts what `expireRecords` would delete. */
export async function countExpired(options: RecordExpiryOptions): Promise<Expired[]> {
  const tally = new ExpiredTally()
  for (const { structure, kind, sources, before } of listExpiring(options, options.now))
    for (const source of sources)
      tally.add(structure, kind, await options.storage.retention.count({ kind, source, before }))
  return tally.list()
}

/** Deletes the records before an instant. `onStep` receives the number of each step, and returns how many more may follow. */
export async function expireSource(
  options: CpuShare & Pick<RecordExpiryOptions, 'storage'>,
  what: { kind: RetainedKind; source: number; before: number; shareOf?: number },
  onStep: (records: number) => number,
): Promise<void> {
  // Mostly nothing has expired, and without this no other work would run.
  await setImmediate()
  let left = onStep(0)
  for (let isDone = false; !isDone && left > 0;) {
    if (options.signal?.aborted === true) return
    const limit = Math.min(LIMITS[what.kind], left)
    const step = await inShare(options, () => options.storage.retention.expire({ ...what, limit }))
    isDone = step.isDone
    left = onStep(step.records)
  }
}

/** Yields the kinds of records that structures keep for a retention period. */
export function* listExpiring(
  { catalogue, structure }: Pick<RecordExpiryOptions, 'catalogue' | 'structure'>,
  now: number,
): Generator<ExpiringKind> {
  for (const kind of RETAINED_KINDS) {
    const sources = Map.groupBy(structuresOf(catalogue, kind), ([, home]) => home)
    for (const [{ entry, zone }, list] of sources) {
      const period = entry.retention?.[kind]
      if (period === undefined) continue
      if (structure !== undefined && entry.id !== structure) continue
      const before = retentionCutoff(period, now, zone)
      const ids = list.map(([source]) => source)
      yield { structure: entry.id, zone, kind, period, sources: ids, before }
    }
  }
}

/** Adds up the deleted records by structure and kind. */
export class ExpiredTally {
  readonly #counts = new Map<number, Expired>()

  add(structure: number, kind: RetainedKind, records: number): void {
    if (records === 0) return
    const none = { structure, theme: 0, raw: 0, vibration: 0, traffic: 0 }
    this.#counts.getOrInsertComputed(structure, () => none)[kind] += records
  }

  list(): Expired[] {
    return [...this.#counts.values()]
  }
}
