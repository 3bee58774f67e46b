import type { Change } from './difference.ts'
import { structureOf } from '../check/surroundings.ts'

/** What a site file that was applied has changed. */
export type SiteEffect = {
  /** Users that were added or removed, or see other structures. */
  users: number[]
  /** Applications that were revoked. */
  revoked: number
  structures: number[]
}

/** Sums up changes, with the number of applications that were revoked. */
export function sumUp(changes: readonly Change[], revoked: number): SiteEffect {
  const ofAccess = changes.filter(({ change, fields }) => {
    return change !== 'alter' || fields.some(({ path }) => path.startsWith('structures'))
  })
  const users = ofAccess.flatMap(({ entry }) => (entry.kind === 'user' ? [entry.id] : []))
  const structures = changes.map(({ entry }) => structureOf(entry))
  return {
    users,
    revoked,
    structures: Array.from(new Set(structures)).filter((id) => id !== null),
  }
}
