import { Catalogue } from '../../domain/site/catalogue.ts'
import { zone as zoneOf } from '../../domain/time/local-time.ts'
import { RETAINED_KINDS, structuresOf } from '../../domain/records/record-sources.ts'
import { retentionCutoff, type RetainedKind } from '../../domain/retention/retention-period.ts'
import type { StructureEntry } from '../../domain/site/site-entry.ts'
import type { Storage, StoredSite } from '../../storage/storage.ts'
import type { Change } from './difference.ts'

const DAY = 86_400_000

type Options = {
  retention: Pick<Storage['retention'], 'countDays'>
  stored: StoredSite
  now: number
}

/**
 * One line for each kind of record of a structure whose term is new or shorter: before which instant
 * records will be deleted, and about how many, as their days are counted.
 */
export async function describeExpiring(
  changes: readonly Change[],
  { retention, stored, now }: Options,
): Promise<string[]> {
  const lines: string[] = []
  const catalogue = new Catalogue(stored)
  for (const { entry, before } of changes) {
    if (entry.kind !== 'structure' || before?.kind !== 'structure') continue
    for (const kind of RETAINED_KINDS) {
      const cutoff = cutoffOf(entry, kind, now)
      if (cutoff <= cutoffOf(before, kind, now)) continue
      let records = 0
      for (const [source, home] of structuresOf(catalogue, kind))
        if (home.entry.id === entry.id)
          records += sumBefore(await retention.countDays(kind, source), cutoff)
      lines.push(describe(entry, kind, cutoff, records))
    }
  }
  return lines.length === 0 ? [] : [...lines, HOW]
}

const HOW =
  'note: a running service deletes them day by day (retention.maxShareOfDay), "plumbline retention --yes" at once; what is deleted cannot be brought back'

/** Without a term nothing is past it. */
function cutoffOf(
  { retention, timeZone }: StructureEntry,
  kind: RetainedKind,
  now: number,
): number {
  const term = retention?.[kind]
  return term === undefined ? -Infinity : retentionCutoff(term, now, zoneOf(timeZone))
}

function sumBefore(
  counts: Awaited<ReturnType<Options['retention']['countDays']>>,
  cutoff: number,
): number {
  return counts.reduce((sum, [day, count]) => (day * DAY < cutoff ? sum + count : sum), 0)
}

function describe(
  { id, retention, timeZone }: StructureEntry,
  kind: RetainedKind,
  cutoff: number,
  records: number,
): string {
  const number = records === 0 ? 'none are' : `about ${records.toLocaleString('en')} are`
  const instant = zoneOf(timeZone).toLocal(cutoff)
  return `! structure ${id}: ${kind} records before ${instant} will be deleted by the term ${retention![kind]}; ${number} stored`
}
