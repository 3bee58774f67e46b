import type { SiteEntry } from '../../domain/site/site-entry.ts'
import type { Storage, StoredSite } from '../../storage/storage.ts'
import { difference, formatDifference, type Change } from './difference.ts'
import { hasNewOrder } from './entry-order.ts'
import { describeOmitted, findOmittedUsers } from './omitted-users.ts'
import { readWantedEntries, type ReadWanted, type SiteText } from './read-wanted-entries.ts'

/** What a site file changes. */
export type PlannedChanges = {
  /** The entries to store, in the order of the file. */
  wanted: SiteEntry[]
  changes: Change[]
  removed: SiteEntry[]
  /** Whether nothing is changed, neither entries nor their order. */
  isUnchanged: boolean
  notes: string[]
  /** The applications that are revoked. */
  revoked: string[]
  /** The changes as lines. */
  shown: string[]
}

type PlanOptions = {
  remove: boolean
  removeUsers: boolean
  /** Reads the file here where it is left out. */
  read?: ReadWanted | undefined
}

/** Compares a site file with the stored site; throws a `YamlFileError` with the problems of the file. */
export async function planChanges(
  { applications }: Pick<Storage, 'applications'>,
  { entries: stored }: Pick<StoredSite, 'entries'>,
  file: SiteText,
  { remove, removeUsers, read = readWantedEntries }: PlanOptions,
): Promise<PlannedChanges> {
  const plan = await read(file, stored, { removesStructures: remove })
  const omitted = findOmittedUsers(plan.left, plan, removeUsers || remove)
  const keptUsers = new Set(
    plan.entries
      .concat(omitted.removed)
      .filter(isUser)
      .map(({ id }) => id),
  )
  const wanted = [...plan.entries, ...plan.narrowed.filter(({ id }) => !keptUsers.has(id))]
  const changes = difference(stored, wanted, [...plan.removed, ...omitted.removed])
  const isReordered = changes.length === 0 && hasNewOrder(stored, wanted)
  const users = describeOmitted(omitted, stored, await applications.list())
  return {
    wanted,
    changes,
    removed: changes.filter(({ change }) => change === 'remove').map(({ entry }) => entry),
    isUnchanged: changes.length === 0 && !isReordered,
    notes: [...plan.notes, ...users.notes],
    revoked: users.losses,
    shown: isReordered ? ['~ the order of the entries'] : formatDifference(changes),
  }
}

const isUser = ({ kind }: SiteEntry): boolean => kind === 'user'
