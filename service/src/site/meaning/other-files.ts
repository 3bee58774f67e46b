import { groupItems } from '../../domain/derivation/group-derivation.ts'
import { findConversion } from '../../domain/units/units.ts'
import { show } from '../../errors/show.ts'
import type { SiteEntry } from '../../domain/site/site-entry.ts'
import { structureOf } from '../check/site-context.ts'
import type { ItemFinding } from './item-findings.ts'

/**
 * Refuses a conversion of an item that structures of other files watch or compute: their limits and
 * parameters would stay in the old unit.
 */
export function refuseOtherFiles(
  findings: readonly ItemFinding[],
  stored: readonly SiteEntry[],
  named: ReadonlySet<number>,
): string[] {
  const others = stored.filter((entry) => {
    const structure = structureOf(entry)
    return structure !== null && !named.has(structure)
  })
  return findings.flatMap(({ kind, owners, change, records }) => {
    if (records === 0 || kind !== 'theme' || 'added' in change || change.to === undefined) return []
    const { from, to } = change
    if (findConversion(from.unit, to.unit) === 'same') return []
    const users = others.filter((entry) => {
      const isOfFactor = 'factor' in entry && owners.has(entry.factor)
      return isOfFactor && usesItem(entry, from.key)
    })
    const structures = Array.from(new Set(users.map(structureOf))).join(', ')
    return users.length === 0
      ? []
      : [
          `Structure ${structures}, which is not in this file, has thresholds or conversions of ${show(from.key)} in ${show(from.unit)}: put it into the file with those in ${show(to.unit)}.`,
        ]
  })
}

function usesItem(entry: SiteEntry, key: string): boolean {
  if (entry.kind === 'thresholdBatch') return entry.items.some(({ item }) => item === key)
  if (entry.kind === 'station')
    return entry.from?.conversions.some(({ item }) => item === key) === true
  if (entry.kind !== 'group' || entry.conversion === undefined) return false
  return groupItems(entry.conversion).some(({ item, from }) => item === key || from === key)
}
