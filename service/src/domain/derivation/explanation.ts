import type { CatalogueStation } from '../site/catalogue.ts'
import { deriveItem, type DerivedInput, type DerivedItem } from './derivation.ts'
import { markLookupAt, rawInstantNear, type MarkedRecords } from './raw-marks.ts'
import { roundToPrecision } from './rounding.ts'
import { validityPeriodAt } from './validity-periods.ts'
import {
  alignmentWindow,
  groupSourceOf,
  groupValueAt,
  lookupAt,
  ownValueAt,
  type RawRecords,
} from './station-records.ts'

/** A raw value and the instant of its record. */
type ExplainedInput = DerivedInput & { time?: number }

export type ExplainedItem = {
  /** The value, rounded as it is stored. */
  value?: number
  unrounded?: number
  /** The reason why there is no value. */
  absent?: string
  /** The conversion of the station's own value; missing for an item of its group only. */
  conversion?: Omit<DerivedItem, 'value' | 'unrounded' | 'absent' | 'inputs'> & {
    inputs: ExplainedInput[]
  }
  group?: ExplainedGroup
}

type ExplainedGroup = {
  id: number
  name: string
  kind: string
  /** The item that is summed or subtracted. */
  from: string
  members: { id: number; name: string; value?: number }[]
}

/**
 * Explains an item of a station at an instant: its value by the raw records, and its origin.
 * Undefined for an item that is not derived.
 */
export function explainItem(
  station: CatalogueStation,
  records: MarkedRecords,
  time: number,
  place: number,
): ExplainedItem | undefined {
  const { raw } = records
  const item = station.factor.items[place]
  if (item === undefined) return undefined
  const { key, precision } = item
  const derivation = validityPeriodAt(station.validityPeriods, time)?.derivations[place]
  const groupValue = groupValueAt(station, raw, time, key)
  const alignment = alignmentWindow(station)
  const own =
    derivation &&
    deriveItem(derivation, lookupAt(raw, time, alignment), markLookupAt(records, time, alignment))
  const conversion = own && { conversion: conversionOf(own, records, { time, alignment }) }
  if (groupValue === undefined) return own && { ...resultOf(own), ...conversion }
  const { value: unrounded, absent } = groupValue
  return {
    ...(unrounded === undefined
      ? {}
      : { value: roundToPrecision(unrounded, precision), unrounded }),
    ...(absent === undefined ? {} : { absent }),
    ...conversion,
    ...explainGroup(station, raw, time, key),
  }
}

const resultOf = ({ value, unrounded, absent }: DerivedItem) =>
  value === undefined
    ? { absent: absent ?? 'there is no value' }
    : { value, ...(unrounded === undefined ? {} : { unrounded }) }

function conversionOf(
  { value: _value, unrounded: _unrounded, absent: _absent, inputs, ...how }: DerivedItem,
  records: MarkedRecords,
  at: { time: number; alignment: number },
): NonNullable<ExplainedItem['conversion']> {
  return {
    ...how,
    inputs: inputs.map((input) => {
      const nearest = rawInstantNear(records, input.sensor, at)
      return nearest === undefined ? input : { ...input, time: nearest }
    }),
  }
}

function explainGroup(
  station: CatalogueStation,
  raw: RawRecords,
  time: number,
  item: string,
): { group?: ExplainedGroup } {
  const source = groupSourceOf(station, item)
  if (source === undefined) return {}
  const { from, conversion } = source
  const { id, name, stations } = source.group
  const members = stations.map((member) => {
    const { id, name } = member.entry
    const alignment = Math.max(alignmentWindow(station), alignmentWindow(member))
    const value = ownValueAt(member, raw, { time, alignment }, from)
    return value === undefined ? { id, name } : { id, name, value }
  })
  return { group: { id, name, kind: conversion.kind, from, members } }
}
