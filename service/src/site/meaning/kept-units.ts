import { isDeepStrictEqual } from 'node:util'
import { countOf, show } from '../../errors/show.ts'
import { findConversion } from '../../domain/units/units.ts'
import type { ConversionSettings, SiteEntry, StationEntry } from '../../domain/site/site-entry.ts'
import type { Storage } from '../../storage/storage.ts'
import { EVER } from './count-members.ts'
import type { UnitFlag } from './describe-findings.ts'
import type { ItemChange } from './item-changes.ts'
import type { ItemFinding } from './item-findings.ts'

type KeptOptions = {
  waveforms: Pick<Storage['waveforms'], 'count'>
  units: UnitFlag | undefined
  stored: readonly SiteEntry[]
  wanted: readonly SiteEntry[]
}

/**
 * Describes what keeps its numbers or its unit beside records whose unit changes: limits and parameters
 * that are the same as before, and waveforms.
 */
export async function describeKept(
  findings: readonly ItemFinding[],
  { waveforms, units, stored, wanted }: KeptOptions,
): Promise<string[]> {
  const changed = findings.filter(changesUnit)
  if (changed.length === 0) return []
  const stations = new Set(
    changed.filter(({ kind }) => kind === 'theme').flatMap(({ sources }) => [...sources]),
  )
  let count = 0
  for (const station of stations) count += await waveforms.count({ station, ...EVER })
  const kept = changed.flatMap((finding) => describeNumbers(finding, stored, wanted))
  return [
    ...(units === 'convert' ? [...kept, CONVERTED] : []),
    ...(count === 0 ? [] : [`note: ${countOf(count, 'waveform')} keep the unit of their samples`]),
  ]
}

const CONVERTED =
  'note: thresholds, rules and conversions count in the new unit as the file has them, manual readings stay as they were entered, and alarms are not evaluated again'

type UnitFinding = ItemFinding & { change: ItemChange & { to: NonNullable<ItemChange['to']> } }

const changesUnit = (finding: ItemFinding): finding is UnitFinding => {
  const { change, records } = finding
  if ('added' in change || change.to === undefined || records === 0) return false
  return findConversion(change.from.unit, change.to.unit) !== 'same'
}

function describeNumbers(
  finding: UnitFinding,
  stored: readonly SiteEntry[],
  wanted: readonly SiteEntry[],
): string[] {
  const before = new Map(stored.map((entry) => [`${entry.kind} ${entry.id}`, entry]))
  const kept = wanted.filter((entry) => {
    const old = before.get(`${entry.kind} ${entry.id}`)
    return old !== undefined && keepsNumbers(old, entry, finding)
  })
  const { key, unit } = finding.change.to
  const batches = kept.filter(({ kind }) => kind === 'thresholdBatch')
  const stations = kept.filter(({ kind }) => kind === 'station')
  return [
    ...batches.map(
      ({ id }) =>
        `! threshold batch ${id} keeps its numbers for ${show(key)}, which count in ${show(unit)} from now on`,
    ),
    ...(stations.length === 0
      ? []
      : [
          `! ${countOf(stations.length, 'station')} with conversions of ${show(key)} keep their parameters, which count with ${show(unit)} from now on`,
        ]),
  ]
}

/** Whether limits or parameters with an item are the same before and after. */
function keepsNumbers(
  old: SiteEntry,
  entry: SiteEntry,
  { kind, owners, change: { from, to } }: UnitFinding,
): boolean {
  if (kind === 'theme' && !('factor' in entry && owners.has(entry.factor))) return false
  if (entry.kind === 'thresholdBatch' && old.kind === 'thresholdBatch' && kind === 'theme') {
    const numbersOf = (items: typeof entry.items, key: string) =>
      items.filter(({ item }) => item === key).map(({ item: _item, ...numbers }) => numbers)
    const numbers = numbersOf(entry.items, to.key)
    return numbers.length > 0 && isDeepStrictEqual(numbers, numbersOf(old.items, from.key))
  }
  if (entry.kind !== 'station' || old.kind !== 'station') return false
  const uses = ({ item, inputs = [] }: ConversionSettings, key: string): boolean =>
    kind === 'theme'
      ? item === key
      : inputs.some((set) =>
          Object.values(set).some((input) => owners.has(input.sensor) && input.key === key),
        )
  const parametersOf = ({ from: source }: StationEntry, key: string) =>
    (source?.conversions ?? [])
      .filter((settings) => uses(settings, key))
      .map(({ kind: conversion, parameters }) => ({ conversion, parameters }))
  const parameters = parametersOf(entry, to.key)
  return parameters.length > 0 && isDeepStrictEqual(parameters, parametersOf(old, from.key))
}
