import { RefusedError } from '../../errors/refused-error.ts'
import type { SiteEntry, StructureEntry } from '../../domain/site/site-entry.ts'
import type { Storage } from '../../storage/storage.ts'
import { difference, formatDifference, type Change } from './difference.ts'
import { describeExpiring } from './expiring-records.ts'
import { describeOmitted, findOmittedUsers } from './omitted-users.ts'
import { planSite } from './plan-site.ts'
import { sumUp, type SiteEffect } from './site-effect.ts'

export type SiteText = { text: string; fileName: string }
export type ApplyOptions = {
  dryRun?: boolean
  deleteRecords?: boolean
  removeUsers?: boolean
  now?: number
  /** Called when something has changed, with what that is. */
  onApplied?(effect: SiteEffect): void
}

const ATTEMPTS = 5

/**
 * Makes the site what a file declares, whole or not at all; returns the difference as lines.
 *
 * A wrong file is refused with every problem's place and line, and nothing is changed.
 */
export async function applySite(
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
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const stored = await site.load()
    const plan = planSite(file, stored.entries)
    const { entries: wanted, notes } = plan
    const omitted = findOmittedUsers(stored.entries, plan, removeUsers)
    const changes = difference(stored.entries, wanted, omitted.removed)
    if (!deleteRecords) await refuseLosses(site, changes)
    await refuseZoneChanges(site, changes, stored.entries)

    const isReordered = changes.length === 0 && hasNewOrder(stored.entries, wanted)
    const shown = isReordered ? ['~ the order of the entries'] : formatDifference(changes)
    const users = describeOmitted(omitted, stored.entries, await applications.list())
    if (changes.length === 0 && !isReordered) return [...notes, ...users.notes, ...shown]
    const expiring = await describeExpiring(changes, { retention, stored, now })
    const lines = [...notes, ...users.notes, ...users.losses, ...expiring, ...shown]
    if (dryRun) return lines

    const remove = changes.filter(({ change }) => change === 'remove').map(({ entry }) => entry)
    const accepted = { put: wanted, remove, withRecords: deleteRecords, revokeAt: now }
    if (await site.apply(accepted, stored.version)) {
      onApplied(sumUp(changes, users.losses.length))
      return lines
    }
    // Somebody else changed the site meanwhile: look at it again.
  }
  throw new RefusedError('unavailable', 'The site is being changed by somebody else; try again.', {
    retryAfterSeconds: 1,
  })
}

type Sites = Storage['site']

/** Records outlive their declaration only on purpose: who removes a station must say so. */
async function refuseLosses(sites: Sites, changes: readonly Change[]): Promise<void> {
  const removed = changes.filter(({ change }) => change === 'remove').map(({ entry }) => entry)
  const held = await sites.findHoldings({ ...sourcesOf(removed), structures: [] })
  const names = [
    ...held.stations.map((id) => `station ${id}`),
    ...held.sensors.map((id) => `device ${id}`),
  ]
  if (names.length === 0) return
  throw new RefusedError(
    'invalid',
    `The file no longer has ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}, of which records are kept. Put them back, or run with --delete-records to remove them with their records.`,
  )
}

/** Records hold their local time as text, so a structure with records stays in its zone. */
async function refuseZoneChanges(
  sites: Sites,
  changes: readonly Change[],
  stored: readonly SiteEntry[],
): Promise<void> {
  for (const { entry, before } of changes) {
    if (entry.kind !== 'structure' || before?.kind !== 'structure') continue
    if (entry.timeZone === before.timeZone) continue
    const own = stored.filter((one) => 'structure' in one && one.structure === entry.id)
    const held = await sites.findHoldings({ ...sourcesOf(own), structures: [entry.id] })
    if (Object.values(held).some(({ length }) => length > 0)) throw zoneRefusal(entry, before)
  }
}

const zoneRefusal = (entry: StructureEntry, before: StructureEntry) =>
  new RefusedError(
    'invalid',
    `Structure ${entry.id} keeps records in the local time of ${before.timeZone}; its timeZone cannot become ${entry.timeZone}.`,
  )

const sourcesOf = (entries: readonly SiteEntry[]) => ({
  stations: entries.filter((entry) => entry.kind === 'station').map(({ id }) => id),
  sensors: entries.filter((entry) => entry.kind === 'device').map(({ id }) => id),
})

function hasNewOrder(stored: readonly SiteEntry[], wanted: readonly SiteEntry[]): boolean {
  const named = new Set(wanted.map(name))
  const order = stored.map(name).filter((one) => named.has(one))
  return order.some((one, index) => one !== name(wanted[index]!))
}

const name = ({ kind, id }: SiteEntry): string => `${kind} ${id}`
