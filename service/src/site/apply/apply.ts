import { RefusedError } from '../../errors/refused-error.ts'
import type { SiteEntry, StructureEntry } from '../../domain/site/site-entry.ts'
import type { Storage, StoredSite } from '../../storage/storage.ts'
import type { MeaningOptions } from '../meaning/plan-meaning.ts'
import { changeSite } from '../change-site.ts'
import type { Change } from './difference.ts'
import { describeExpiring } from './expiring-records.ts'
import { countLosses, refuseLosses, sourcesOf, type LossStorage, type Loss } from './losses.ts'
import { planChanges } from './plan-changes.ts'
import type { ReadWanted, SiteText } from './read-wanted-entries.ts'
import { RewritingApplication, type RewritingStorage } from './rewriting-application.ts'
import { effectOf, type SiteEffect } from './site-effect.ts'

export type ApplyOptions = {
  dryRun?: boolean
  deleteRecords?: boolean
  /** Also removes users that the file leaves out and that see structures of other files. */
  removeUsers?: boolean
  /** Also removes structures that the file leaves out, and all users that it leaves out. */
  remove?: boolean
  /** The version that the file was compared with; another one is refused. */
  version?: number
  /** What changed units and keys of stored records mean. */
  meaning?: MeaningOptions
  now?: number
  /** Reads the file, such as in a thread. */
  read?: ReadWanted
  signal?: AbortSignal | undefined
  /** Called before structures or records are deleted, with lines that say which; throws to stop. */
  confirm?(losses: readonly string[]): Promise<void>
  /** Why records are not rewritten, as a sentence: then such a file is refused. */
  rewritingProblem?: string
  /** Called before records are rewritten; throws to stop. */
  mayRewrite?(): Promise<void>
  /** Called when the rewriting of records begins or continues as a change. */
  onRewriting?(change: number): Promise<void>
  /** Receives how many records are read for the rewriting, of about how many. */
  onProgress?(records: number, total: number): void
  /** Called with what the file changes, before anything is refused or stored. */
  onPlanned?(plan: SitePlan): void
  /** Called when the site has changed. */
  onApplied?(effect: SiteEffect): Promise<void>
}

export type SitePlan = {
  /** The version of the site that was compared. */
  version: number
  changes: readonly Change[]
  /** The structures and records that are deleted, as lines. */
  losses: string[]
}

export type ApplyStorage = Pick<Storage, 'applications'> & LossStorage & RewritingStorage

/**
 * Changes the site to what a file declares, all of it or nothing; returns the difference as lines.
 * Stored records get new keys and units first, where the file and `meaning` say so.
 *
 * Throws a `YamlFileError` with the problems of a wrong file.
 */
export async function applySite(
  storage: ApplyStorage,
  file: SiteText,
  options: ApplyOptions = {},
): Promise<string[]> {
  const { dryRun = false, deleteRecords = false, removeUsers = false, remove = false } = options
  const { now = Date.now(), read, onApplied, onPlanned } = options
  await using rewriting = new RewritingApplication(storage, options)
  return await changeSite(storage.site, async (stored) => {
    requireVersion(stored, options.version)
    const plan = await planChanges(storage, stored, file, { remove, removeUsers, read })
    const { wanted, changes, removed, notes, revoked, shown } = plan
    const losses = await countLosses(storage, removed, stored)
    const confirmed = describeRemoved(removed, describeLosses(losses))
    onPlanned?.({ version: stored.version, changes, losses: confirmed })
    if (!deleteRecords) refuseLosses(losses)
    await refuseZoneChanges(storage.site, changes, stored.entries)
    const meaning = await rewriting.plan(stored, plan)
    if (plan.isUnchanged) return { result: [...notes, ...meaning, ...shown] }

    const expiring = await describeExpiring(changes, {
      retention: storage.retention,
      stored,
      now,
    })
    const deleted = describeLosses(losses)
    const lines = [...notes, ...revoked, ...deleted, ...expiring, ...meaning, ...shown]
    if (dryRun) return { result: lines }

    if (confirmed.length > 0) await options.confirm?.(confirmed)
    const finishes = await rewriting.run(stored)
    const accepted = { put: wanted, remove: removed, withRecords: deleteRecords, revokeAt: now }
    const onStored = async () => onApplied?.(effectOf(changes, revoked.length))
    return {
      result: [...lines, ...rewriting.describe()],
      accepted: { ...accepted, finishes },
      onStored,
    }
  })
}

const describeLosses = (losses: readonly Loss[]): string[] =>
  losses.length === 0
    ? []
    : [
        ...losses.map(({ line }) => `! ${line} will be deleted`),
        'note: records that are deleted with their station, device or structure cannot be restored',
      ]

/** What is asked about before it is deleted. */
const describeRemoved = (removed: readonly SiteEntry[], losses: readonly string[]): string[] => [
  ...removed
    .filter((entry) => entry.kind === 'structure')
    .map(
      ({ id, name }) => `! structure ${id} ${name.replaceAll(/\p{Cc}+/gu, ' ')} will be removed`,
    ),
  ...losses,
]

function requireVersion({ version }: StoredSite, expected: number | undefined): void {
  if (expected === undefined || expected === version) return
  throw new RefusedError(
    'conflict',
    `The site has changed meanwhile: its version is ${version}, expected ${expected}. Compare the file with the site again.`,
  )
}

/** Refuses another time zone of a structure with records, which contain their local time as text. */
async function refuseZoneChanges(
  sites: Storage['site'],
  changes: readonly Change[],
  stored: StoredSite['entries'],
): Promise<void> {
  for (const { entry, before } of changes) {
    if (entry.kind !== 'structure' || before?.kind !== 'structure') continue
    if (entry.timeZone === before.timeZone) continue
    const own = stored.filter((one: SiteEntry) => 'structure' in one && one.structure === entry.id)
    const held = await sites.findHoldings({ ...sourcesOf(own), structures: [entry.id] })
    if (Object.values(held).some(({ length }) => length > 0)) throw zoneError(entry, before)
  }
}

const zoneError = (entry: StructureEntry, before: StructureEntry) =>
  new RefusedError(
    'invalid',
    `Structure ${entry.id} has records in the local time of ${before.timeZone}; its timeZone cannot become ${entry.timeZone}.`,
  )
