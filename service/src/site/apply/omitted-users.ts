import type { SiteEntry, UserEntry } from '../../domain/site/site-entry.ts'
import type { Application } from '../../storage/storage.ts'
import type { SitePlan } from './plan-site.ts'

/** Stored users that a file with users leaves out, by whether the file decides about them. */
export type OmittedUsers = { removed: UserEntry[]; kept: UserEntry[] }

/**
 * A file with a list of users, an empty one too, decides about those that see no other structures
 * than its own: one it leaves out is removed. Who sees structures of other files too is kept, unless
 * all are to go.
 */
export function findOmittedUsers(
  stored: readonly SiteEntry[],
  { entries: wanted, declaresUsers }: Pick<SitePlan, 'entries' | 'declaresUsers'>,
  removeAll = false,
): OmittedUsers {
  if (!declaresUsers) return { removed: [], kept: [] }
  const declared = new Set(wanted.filter(({ kind }) => kind === 'user').map(({ id }) => id))
  const own = new Set(structuresOf(wanted))
  const all = new Set([...structuresOf(stored), ...own])
  const omitted = stored.filter((entry) => entry.kind === 'user' && !declared.has(entry.id))
  const isDecided = ({ structures }: UserEntry): boolean => {
    const seen = structures === 'all' || structures.length === 0 ? [...all] : structures
    return removeAll || seen.every((id) => own.has(id) || !all.has(id))
  }
  const { removed = [], kept = [] } = Object.groupBy(omitted as UserEntry[], (user) =>
    isDecided(user) ? 'removed' : 'kept',
  )
  return { removed, kept }
}

/**
 * One line for each application that is revoked for good, since its user is removed or was before,
 * and for each user that is kept.
 */
export function describeOmitted(
  { removed, kept }: OmittedUsers,
  stored: readonly SiteEntry[],
  applications: readonly Application[],
): { losses: string[]; notes: string[] } {
  const gone = new Set(removed.map(({ id }) => id))
  const users = new Set(stored.filter(({ kind }) => kind === 'user').map(({ id }) => id))
  const staying = users.difference(gone)
  return {
    losses: applications
      .filter(({ userId, revokedAt }) => revokedAt === null && !staying.has(userId))
      .map(({ id, userId, name }) => {
        const label = name === '' ? '' : ` ${name.replaceAll(/\p{Cc}+/gu, ' ')}`
        const why = gone.has(userId) ? 'is removed' : 'was removed'
        return `! application ${id}${label} and its tokens are revoked, for its user ${userId} ${why}`
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
