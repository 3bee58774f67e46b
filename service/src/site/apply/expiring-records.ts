import { Catalogue } from '../../domain/site/catalogue.ts'
import { zone as zoneOf } from '../../domain/time/local-time.ts'
import { RETAINED_KINDS, structuresOf } from '../../domain/records/record-sources.ts'
import { retentionCutoff } from '../../domain/retention/retention-period.ts'
import type { StructureEntry } from '../../domain/site/site-entry.ts'
import type { Storage, StoredSite } from '../../storage/storage.ts'
import type { Change } from './difference.ts'

const DAY = 86_400_000

type ExpiryOptions = {
  retention: Pick<Storage['retention'], 'countDays'>
  stored: StoredSite
  now: number
}

/**
 * Describes which records expire because of a new or shorter retention period: before which time,
 * and about how many, since records are counted by day.
 */
export async function describeExpiring(
  changes: readonly Change[],
  { retention, stored, now }: ExpiryOptions,
): Promise<string[]> {
  const lines: string[] = []
  const catalogue = new Catalogue(stored)
  for (const { entry, before } of changes) {
    if (entry.kind !== 'structure' || before?.kind !== 'structure') continue
    for (const kind of RETAINED_KINDS) {
      const period = entry.retention?.[kind]
      if (period === undefined) continue
      const cutoff = cutoffOf(entry, period, now)
      const oldPeriod = before.retention?.[kind]
      if (oldPeriod !== undefined && cutoff <= cutoffOf(before, oldPeriod, now)) continue
      let records = 0
      for (const [source, home] of structuresOf(catalogue, kind))
        if (home.entry.id === entry.id)
          records += sumBefore(await retention.countDays(kind, source), cutoff)
      const instant = zoneOf(entry.timeZone).toLocal(cutoff)
      const number = records === 0 ? 'none are' : `about ${records.toLocaleString('en')} are`
      lines.push(
        `! structure ${entry.id}: ${kind} records before ${instant} will be deleted by the retention period ${period}; ${number} stored`,
      )
    }
  }
  return lines.length === 0 ? [] : [...lines, NOTE]
}

const NOTE =
  'note: a running service deletes them day by day (retention.maxShareOfDay), "plumbline retention --yes" at once; deleted records cannot be restored'

const cutoffOf = ({ timeZone }: StructureEntry, period: string, now: number): number =>
  retentionCutoff(period, now, zoneOf(timeZone))

function sumBefore(
  counts: Awaited<ReturnType<ExpiryOptions['retention']['countDays']>>,
  cutoff: number,
): number {
  return counts.reduce((sum, [day, count]) => (day * DAY < cutoff ? sum + count : sum), 0)
}
