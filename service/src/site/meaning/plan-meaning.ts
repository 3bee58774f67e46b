import { RefusedError } from '../../errors/refused-error.ts'
import type { SiteEntry } from '../../domain/site/site-entry.ts'
import { zone, type Zone } from '../../domain/time/local-time.ts'
import type { Storage, StoredSite } from '../../storage/storage.ts'
import { describeFinding, refuseFinding, type UnitFlag } from './describe-findings.ts'
import { findItems } from './item-findings.ts'
import { listItemSources } from './item-sources.ts'
import { refuseOtherFiles } from './other-files.ts'
import { describeKept } from './kept-units.ts'
import { describeRestorable } from './restorable.ts'
import { Renames } from './renames.ts'
import { isRewritten, planRewrites, type RecordRewrite } from './record-rewrites.ts'

export type MeaningOptions = {
  /** What a changed unit means; left out: a changed unit of stored records is refused. */
  units?: UnitFlag | undefined
  /** New keys, as `Renames` takes them. */
  renames?: readonly string[] | undefined
}

/** What a change of the site does to the meaning of stored records. */
export type MeaningPlan = {
  lines: string[]
  /** The sources whose records get other keys or values; empty where no record does. */
  rewrites: RecordRewrite[]
  /** Whether stored records have values that get another key or number. */
  rewritesAny: boolean
}

type MeaningStorage = Pick<Storage, 'records' | 'waveforms' | 'changes'>

/**
 * Finds the stored records to which a change of the site gives another meaning: another unit or another
 * key. Refuses the change where the flags do not say what is meant, with a sentence for each item.
 */
export async function planMeaning(
  { records, waveforms, changes }: MeaningStorage,
  { stored, wanted, named }: SiteChange,
  { units, renames: texts }: MeaningOptions,
): Promise<MeaningPlan> {
  const renames = new Renames(texts)
  const sources = listItemSources(stored, wanted)
  const zones = zonesOf(stored.entries)
  const zoneOf = (structure: number): Zone => zones.get(structure) ?? zone('UTC')
  const findings = await findItems(sources, { records, zoneOf, renames })
  const refusals = findings.flatMap((finding) => refuseFinding(finding, units))
  refusals.push(...(units === 'convert' ? refuseOtherFiles(findings, stored.entries, named) : []))
  if (refusals.length > 0) throw new RefusedError('invalid', refusals.join('\n'))

  const rewrites = planRewrites(sources, { renames, converts: units === 'convert' })
  return {
    lines: [
      ...renames.unused.map((text) => `note: --rename ${text} names no item that changes its key`),
      ...findings.flatMap((finding) => describeFinding(finding, units)),
      ...(await describeRestorable(changes, findings)),
      ...(await describeKept(findings, { waveforms, units, stored: stored.entries, wanted })),
    ],
    rewrites,
    rewritesAny: findings.some(
      ({ change, records: held }) =>
        held > 0 && !('added' in change) && isRewritten(change, units === 'convert'),
    ),
  }
}

/** The stored site, its entries after the change, and the structures that the file names. */
type SiteChange = {
  stored: StoredSite
  wanted: readonly SiteEntry[]
  named: ReadonlySet<number>
}

const zonesOf = (entries: readonly SiteEntry[]): Map<number, Zone> =>
  new Map(
    entries
      .filter((entry) => entry.kind === 'structure')
      .map(({ id, timeZone }) => [id, zone(timeZone)]),
  )
