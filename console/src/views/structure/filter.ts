import type { StructureState } from '@plumbline/client'

type Factor = StructureState['factors'][number]
type FactorStation = Factor['groups'][number]['stations'][number]

/** A station with its factor; its group is empty where the factor has none. */
export type Row = FactorStation & { factor: string; group: string; items: Factor['items'] }

type Filter = { wanted: string; needsAttention: boolean }

/** The stations that match, in the order of the site. */
export function filterStations(state: StructureState, { wanted, needsAttention }: Filter): Row[] {
  const word = wanted.trim().toLowerCase()
  return rowsOf(state).filter(
    ({ name, group, factor, state: own, worstLevel }) =>
      `${name} ${group} ${factor}`.toLowerCase().includes(word) &&
      (!needsAttention || own !== 'fine' || worstLevel !== null),
  )
}

const rowsOf = ({ factors }: StructureState): Row[] =>
  factors.flatMap(({ name, items, groups }) =>
    groups.flatMap((group) =>
      group.stations.map((station) => ({
        ...station,
        items,
        factor: name,
        // Stations without a group are in one that has the name of their factor.
        group: group.name === name ? '' : group.name,
      })),
    ),
  )

/** How many stations are in each state, in the order in which they are shown. */
export function countStates(state: StructureState): { state: Row['state']; count: number }[] {
  const rows = rowsOf(state)
  return (['fine', 'stale', 'offline', 'empty'] as const)
    .map((one) => ({ state: one, count: rows.filter((row) => row.state === one).length }))
    .filter(({ count }) => count > 0)
}
