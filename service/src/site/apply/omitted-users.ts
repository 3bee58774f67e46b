import type { SiteEntry, UserEntry } from '../../domain/site/site-entry.ts'
import type { Application } from '../../storage/storage.ts'
import type { WantedEntries } from './read-wanted-entries.ts'

/** Stored users that are not in the user list of a file: those that it removes, and the others. */
type OmittedUsers = { removed: UserEntry[]; kept: UserEntry[] }

/**
 * Finds the stored users that are not in the user list of a file. The file removes those that have
 * access only to its own structures; with `removeAll` it removes all of them.
 */
export function findOmittedUsers(
  stored: readonly SiteEntry[],
  { entries: wanted, declaresUsers }: Pick<WantedEntries, 'entries' | 'declaresUsers'>,
  removeAll = false,
): OmittedUsers {
  if (!declaresUsers) return { removed: [], kept: [] }
  const declared = new Set(wanted.filter(({ kind }) => kind === 'user').map(({ id }) => id))
  const own = new Set(structuresOf(wanted))
  const all = new Set([...structuresOf(stored), ...own])
  const omitted = stored.filter(
    (entry): entry is UserEntry => entry.kind === 'user' && !declared.has(entry.id),
  )
  const isRemoved = ({ structures }: UserEntry): boolean => {
    const accessible = structures === 'all' || structures.length === 0 ? [...all] : structures
    return removeAll || accessible.every((id) => own.has(id) || !all.has(id))
  }
  const { removed = [], kept = [] } = Object.groupBy(omitted, (user) =>
    isRemoved(user) ? 'removed' : 'kept',
  )
  return { removed, kept }
}

/**
 * Describes the applications that are revoked because their user is removed or was removed before,
 * and the users that are kept.
 */
export function describeOmitted(
  { removed, kept }: OmittedUsers,
  stored: readonly SiteEntry[],
  applications: readonly Application[],
): { losses: string[]; notes: string[] } {
  const removedIds = new Set(removed.map(({ id }) => id))
  const users = new Set(stored.filter(({ kind }) => kind === 'user').map(({ id }) => id))
  const staying = users.difference(removedIds)
  return {
    losses: applications
      .filter(({ userId, revokedAt }) => revokedAt === null && !staying.has(userId))
      .map(({ id, userId, name }) => {
        const label = name === '' ? '' : ` ${name.replaceAll(/\p{Cc}+/gu, ' ')}`
        const state = removedIds.has(userId) ? 'is removed' : 'was removed'
        return `! application ${id}${label} and its tokens are revoked, because its user ${userId} ${state}`
      }),
    notes: kept.map(
      ({ id, structures }) =>
        `note: user ${id} is not in this file and keeps access to ${showStructures(structures)}`,
    ),
  }
}

const structuresOf = (entries: readonly SiteEntry[]): number[] =>
  entries.filter((entry) => entry.kind === 'structure').map(({ id }) => id)

function showStructures(structures: UserEntry['structures']): string {
  if (structures === 'all') return 'all structures'
  return structures.length === 0 ? 'no structures' : `structures ${structures.join(', ')}`
}
