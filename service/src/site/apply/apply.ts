import { RefusedError } from '../../errors/refused-error.ts'
import type { SiteEntry, StructureEntry } from '../../domain/site/site-entry.ts'
import type { Storage } from '../../storage/storage.ts'
import { difference, formatDifference, type Change } from './difference.ts'
import { describeExpiring } from './expiring-records.ts'
import { describeOmitted, findOmittedUsers } from './omitted-users.ts'
import { readWantedEntries, type SiteText } from './read-wanted-entries.ts'
import { changeSite } from '../change-site.ts'
import { hasNewOrder } from './entry-order.ts'
import { effectOf, type SiteEffect } from './site-effect.ts'

type ApplyOptions = {
  dryRun?: boolean
  deleteRecords?: boolean
  removeUsers?: boolean
  now?: number
  /** Called when the site has changed. */
  onApplied?(effect: SiteEffect): void
}

/**
 * Changes the site to what a file declares, all of it or nothing; returns the difference as lines.
 *
 * Throws a `YamlFileError` with the problems of a wrong file.
 */
export function applySite(
  { site, applications, retention }: Pick<Storage, 'site' | 'applications' | 'retention'>,
  file: SiteText,
  {
    dryRun = false,
    deleteRecords = false,
    removeUsers = false,
    now = Date.now(),
    onApplied = () => {},
  }: ApplyOptions = {},
): Promise<string[]> {
  return changeSite(site, async (stored) => {
    const plan = readWantedEntries(file, stored.entries)
    const { entries: wanted, notes } = plan
    const omitted = findOmittedUsers(stored.entries, plan, removeUsers)
    const changes = difference(stored.entries, wanted, omitted.removed)
    if (!deleteRecords) await refuseLosses(site, changes)
    await refuseZoneChanges(site, changes, stored.entries)

    const isReordered = changes.length === 0 && hasNewOrder(stored.entries, wanted)
    const shown = isReordered ? ['~ the order of the entries'] : formatDifference(changes)
    const users = describeOmitted(omitted, stored.entries, await applications.list())
    if (changes.length === 0 && !isReordered)
      return { result: [...notes, ...users.notes, ...shown] }
    const expiring = await describeExpiring(changes, { retention, stored, now })
    const lines = [...notes, ...users.notes, ...users.losses, ...expiring, ...shown]
    if (dryRun) return { result: lines }

    const remove = changes.filter(({ change }) => change === 'remove').map(({ entry }) => entry)
    const accepted = { put: wanted, remove, withRecords: deleteRecords, revokeAt: now }
    const onStored = () => onApplied(effectOf(changes, users.losses.length))
    return { result: lines, accepted, onStored }
  })
}

/** Refuses to remove stations and devices that have records. */
async function refuseLosses(sites: Storage['site'], changes: readonly Change[]): Promise<void> {
  const removed = changes.filter(({ change }) => change === 'remove').map(({ entry }) => entry)
  const held = await sites.findHoldings({ ...sourcesOf(removed), structures: [] })
  const names = [
    ...held.stations.map((id) => `station ${id}`),
    ...held.sensors.map((id) => `device ${id}`),
  ]
  if (names.length === 0) return
  throw new RefusedError(
    'invalid',
    `The file no longer has ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}, which ${names.length === 1 ? 'has' : 'have'} stored records. Put ${names.length === 1 ? 'it' : 'them'} back into the file, or run with --delete-records to remove ${names.length === 1 ? 'it with its' : 'them with their'} records.`,
  )
}

/** Refuses another time zone of a structure with records, which contain their local time as text. */
async function refuseZoneChanges(
  sites: Storage['site'],
  changes: readonly Change[],
  stored: readonly SiteEntry[],
): Promise<void> {
  for (const { entry, before } of changes) {
    if (entry.kind !== 'structure' || before?.kind !== 'structure') continue
    if (entry.timeZone === before.timeZone) continue
    const own = stored.filter((one) => 'structure' in one && one.structure === entry.id)
    const held = await sites.findHoldings({ ...sourcesOf(own), structures: [entry.id] })
    if (Object.values(held).some(({ length }) => length > 0)) throw zoneError(entry, before)
  }
}

const zoneError = (entry: StructureEntry, before: StructureEntry) =>
  new RefusedError(
    'invalid',
    `Structure ${entry.id} has records in the local time of ${before.timeZone}; its timeZone cannot become ${entry.timeZone}.`,
  )

const sourcesOf = (entries: readonly SiteEntry[]) => ({
  stations: entries.filter((entry) => entry.kind === 'station').map(({ id }) => id),
  sensors: entries.filter((entry) => entry.kind === 'device').map(({ id }) => id),
})
