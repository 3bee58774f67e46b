import type { FactorEntry } from '../../domain/site/site-entry.ts'
import { each, eachStation, type StationPart, type StructurePart } from '../file/file-parts.ts'
import { didYouMeanOr } from '../../schemas/near-miss.ts'
import type { ValuePath } from '../../schemas/value-path.ts'
import type { ProblemList } from '../../yaml/problem-list.ts'

/** Checks a station that tracks waveforms: the station of the waveforms, and the items and bands. */
export function checkWaveform(
  station: StationPart,
  { factor, structure }: { factor: FactorEntry; structure: StructurePart },
  path: ValuePath,
  problems: ProblemList,
): void {
  const source = station.fromWaveform
  if (source === undefined) return
  if (station.from !== undefined)
    problems.add(path, `station ${station.id} has its values from sensors already`)
  if (source.station === station.id)
    problems.add([...path, 'station'], `station ${station.id} cannot track its own waveforms`)
  else if (!stationsOf(structure).has(source.station))
    problems.add(
      [...path, 'station'],
      `structure ${structure.id} has no station ${source.station} in this file`,
    )

  const keys = factor.items.map(({ key }) => key)
  const seen = new Set<string>()
  for (const [{ item, low, high }, place] of each(source.peaks, ...path, 'peaks')) {
    if (!keys.includes(item))
      problems.add(
        [...place, 'item'],
        `factor ${factor.id} has no item ${item}${didYouMeanOr(item, keys)}`,
      )
    if (seen.has(item)) problems.add([...place, 'item'], `${item} has a band already`)
    seen.add(item)
    if (!(low < high))
      problems.add([...place, 'low'], `low is ${low} Hz, expected less than high, ${high} Hz`)
  }
}

function stationsOf(structure: StructurePart): Set<number> {
  const ids = new Set<number>()
  for (const [factor, path] of each(structure.factors, 'factors'))
    for (const [{ id }] of eachStation(factor, path)) ids.add(id)
  return ids
}
