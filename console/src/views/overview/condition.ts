import type { StructureOverview } from '@plumbline/client'

/** What a structure is shown as: its worst open alarm, or else the worst state of its stations. */
export type Condition =
  { kind: 'alarm'; level: number } | { kind: 'offline' | 'stale' | 'fine' | 'empty' }

export type ConditionKind = Condition['kind']

/** From the worst to the best. */
export const CONDITIONS: readonly ConditionKind[] = ['alarm', 'offline', 'stale', 'fine', 'empty']

export function conditionOf({
  worstLevel,
  stations,
}: Pick<StructureOverview, 'worstLevel' | 'stations'>): Condition {
  if (worstLevel !== null) return { kind: 'alarm', level: worstLevel }
  if (stations.offline > 0) return { kind: 'offline' }
  if (stations.stale > 0) return { kind: 'stale' }
  return { kind: stations.fine > 0 ? 'fine' : 'empty' }
}

/** Everything that holds of a structure, so that it is found by each: an alarm hides no stale station. */
export function conditionsOf({
  worstLevel,
  stations,
}: Pick<StructureOverview, 'worstLevel' | 'stations'>): ConditionKind[] {
  const troubles: ConditionKind[] = [
    ...(worstLevel === null ? [] : ['alarm' as const]),
    ...(stations.offline > 0 ? ['offline' as const] : []),
    ...(stations.stale > 0 ? ['stale' as const] : []),
  ]
  return troubles.length > 0 ? troubles : [stations.fine > 0 ? 'fine' : 'empty']
}

/** The worst first; of those that are as bad, by name. */
export function byCondition(a: StructureOverview, b: StructureOverview): number {
  return rank(a) - rank(b) || a.name.localeCompare(b.name)
}

function rank(structure: StructureOverview): number {
  const condition = conditionOf(structure)
  return condition.kind === 'alarm'
    ? Math.min(condition.level, 99)
    : 100 * CONDITIONS.indexOf(condition.kind)
}
