import type { FactorEntry } from '../../domain/site/site-entry.ts'
import { devicesOf } from './check-devices.ts'
import { checkWaveform } from './check-waveform.ts'
import {
  canonicalUuid,
  each,
  eachStation,
  type DevicePart,
  type FactorPart,
  type SourcePart,
  type StructurePart,
} from '../file/file-parts.ts'
import { resolveConversions } from './resolve-conversions.ts'
import type { ValuePath } from '../../schemas/value-path.ts'
import type { ProblemList } from '../../yaml/problem-list.ts'

/** Checks the stations of a configured factor: their parameters, sources and conversions. */
export function checkStations(
  part: FactorPart,
  factor: FactorEntry,
  structure: StructurePart,
  path: ValuePath,
  problems: ProblemList,
  notes: ProblemList,
): void {
  const devices = devicesOf(structure)
  const owner = `structure ${structure.id}`
  for (const [station, place, group] of eachStation(part, path)) {
    for (const key of Object.keys(station.groupParams ?? {})) {
      if (group !== null && Object.hasOwn(group.params ?? {}, key)) continue
      const home = group === null ? 'no group' : `group ${group.id}, which does not define it`
      notes.add([...place, 'groupParams', key], `station ${station.id} is in ${home}`)
    }
    if (station.from !== undefined) {
      checkSource(station.from, { factor, devices, owner }, [...place, 'from'], problems)
    }
    checkWaveform(station, { factor, structure }, [...place, 'fromWaveform'], problems)
  }
}

type SourceContext = {
  factor: FactorEntry
  devices: ReadonlyMap<string, DevicePart>
  owner: string
}

function checkSource(
  source: SourcePart,
  { factor, devices, owner }: SourceContext,
  path: ValuePath,
  problems: ProblemList,
): void {
  const before = problems.problems.length
  for (const [id, place] of each(source.sensors, ...path, 'sensors')) {
    const device = devices.get(canonicalUuid(id))
    if (device === undefined) problems.add(place, `${owner} has no device ${id}`)
    else if (device.kind !== 'sensor' && device.kind !== 'node') {
      problems.add(place, `${device.name} is a ${device.kind}, expected a sensor or node`)
    } else if ((device.items ?? []).length === 0) {
      problems.add(place, `${device.kind} ${device.name} has no items`)
    }
  }
  if (problems.problems.length > before) return
  const resolved = resolveConversions(source, factor, devices)
  for (const { path: inner, message } of resolved.problems)
    problems.add([...path, ...inner], message)
}
