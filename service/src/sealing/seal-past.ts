import type { Catalogue } from '../domain/site/catalogue.ts'
import { localDays } from '../domain/time/local-day.ts'
import { DamageError } from '../errors/damage-error.ts'
import type { Zone } from '../domain/time/local-time.ts'
import type { SourceSpan, Storage } from '../storage/storage.ts'
import { inShare, type CpuShare } from '../background/cpu-share.ts'
import { RECORD_KINDS, structuresOf } from '../domain/records/record-sources.ts'

const DAY = 86_400_000

type SealingOptions = CpuShare & {
  storage: Pick<Storage, 'sealedDays'>
  catalogue: Catalogue
  /** Days that ended before this instant are sealed. */
  before: number
  /** Only the days of one structure. */
  structure?: number | undefined
  onProgress?(progress: SealingProgress): void
}

/** The number of open records, of those that are sealed, and the compressed bytes. */
type SealingProgress = { total: number; done: number; bytes: number }

type SealingOutcome = {
  records: number
  bytes: number
  days: number
  /** Days that are not sealed because records kept arriving. */
  left: number
  /** A sentence about each damaged day, which is not sealed. */
  damages: string[]
}

/**
 * Seals every past local day that still has open records, oldest first.
 *
 * Each day is a step of its own: sealing can be stopped between two days, and started again.
 */
export async function sealPast(options: SealingOptions): Promise<SealingOutcome> {
  const { storage, signal, onProgress } = options
  const outcome: SealingOutcome = { records: 0, bytes: 0, days: 0, left: 0, damages: [] }
  const { spans, total } = await findPast(options)
  for (const span of spans) {
    if (signal?.aborted === true) break
    try {
      const { records, bytes, isComplete } = await inShare(options, () =>
        storage.sealedDays.seal(span),
      )
      outcome.records += records
      outcome.bytes += bytes
      // A local day that only overlaps a day of UTC may have no records.
      if (records > 0) outcome.days++
      if (!isComplete) outcome.left++
    } catch (error) {
      // The other days are sealed all the same.
      if (!(error instanceof DamageError)) throw error
      outcome.damages.push(error.message)
    }
    onProgress?.({ total, done: outcome.records, bytes: outcome.bytes })
  }
  return outcome
}

/** The past local days with open records of all sources, and the number of these records. */
async function findPast({ storage, catalogue, before, structure }: SealingOptions) {
  const spans: (SourceSpan & { zone: Zone })[] = []
  let total = 0
  for (const kind of RECORD_KINDS) {
    const structures = structuresOf(catalogue, kind)
    const seen = new Set<string>()
    for (const { source, day, count } of await storage.sealedDays.listOpenDays(kind, before)) {
      const home = structures.get(source)
      if (home === undefined) continue
      if (structure !== undefined && home.entry.id !== structure) continue
      // A day of UTC overlaps two local days, and both may be over.
      let isOver = false
      for (const { start, until } of localDays(day * DAY, (day + 1) * DAY, home.zone)) {
        if (until > before) continue
        isOver = true
        const key = `${source} ${start}`
        if (seen.has(key)) continue
        seen.add(key)
        spans.push({ kind, source, start, until, zone: home.zone })
      }
      if (isOver) total += count
    }
  }
  return { spans: spans.toSorted((a, b) => a.start - b.start), total }
}
