import type { CatalogueStation } from '../site/catalogue.ts'
import { deriveItem, type DerivedInput, type DerivedItem } from './derivation.ts'
import { groupItems } from './group-derivation.ts'
import { roundToPrecision } from './rounding.ts'
import { validityPeriodAt } from './validity-periods.ts'
import {
  alignmentWindow,
  groupValueAt,
  lookupAt,
  ownValueAt,
  type RawRecords,
} from './station-records.ts'

/** A raw value that was read, and the instant of its record. */
export type ExplainedInput = DerivedInput & { time?: number }

export type ExplainedItem = {
  /** Rounded as it is stored; not there when there is none. */
  value?: number
  unrounded?: number
  /** Why there is no value. */
  absent?: string
  /** How the station's own value is computed; not there for an item that only its group gives. */
  conversion?: Omit<DerivedItem, 'value' | 'unrounded' | 'absent' | 'inputs'> & {
    inputs: ExplainedInput[]
  }
  group?: ExplainedGroup
}

export type ExplainedGroup = {
  id: number
  name: string
  kind: string
  /** The item that is summed or subtracted, and what each member has of it. */
  from: string
  members: { id: number; name: string; value?: number }[]
}

/**
 * What an item of a station is at an instant by the raw records, and everything it is made of;
 * undefined for an item that arrives ready.
 */
export function explainItem(
  station: CatalogueStation,
  raw: RawRecords,
  time: number,
  place: number,
): ExplainedItem | undefined {
  const { key, precision } = station.factor.items[place]!
  const derivation = validityPeriodAt(station.validityPeriods, time)?.derivations[place]
  const ofGroup = groupValueAt(station, raw, time, key)
  if (derivation === undefined && ofGroup === undefined) return undefined

  const own = derivation && deriveItem(derivation, lookupAt(raw, time, alignmentWindow(station)))
  const conversion = own && { conversion: conversionOf(own, station, raw, time) }
  if (ofGroup === undefined) return { ...resultOf(own!), ...conversion }
  const { value: unrounded, absent } = ofGroup
  return {
    ...(unrounded === undefined
      ? {}
      : { value: roundToPrecision(unrounded, precision), unrounded }),
    ...(absent === undefined ? {} : { absent }),
    ...conversion,
    group: explainGroup(station, raw, time, key),
  }
}

const resultOf = ({ value, unrounded, absent }: DerivedItem) =>
  value === undefined
    ? { absent: absent ?? 'there is no value' }
    : { value, ...(unrounded === undefined ? {} : { unrounded }) }

function conversionOf(
  { value: _value, unrounded: _unrounded, absent: _absent, inputs, ...how }: DerivedItem,
  station: CatalogueStation,
  raw: RawRecords,
  time: number,
): NonNullable<ExplainedItem['conversion']> {
  const alignment = alignmentWindow(station)
  return {
    ...how,
    inputs: inputs.map((input) => {
      const series = raw.get(input.sensor)
      const nearest = series?.findNearest(time, alignment)
      return nearest === undefined ? input : { ...input, time: series!.times[nearest]! }
    }),
  }
}

function explainGroup(
  station: CatalogueStation,
  raw: RawRecords,
  time: number,
  item: string,
): ExplainedGroup {
  const { id, name, conversion, stations } = station.group!
  const { from } = groupItems(conversion!).find((one) => one.item === item)!
  return {
    id,
    name,
    kind: conversion!.kind,
    from,
    members: stations.map((member) => {
      const { id, name } = member.entry
      const alignment = Math.max(alignmentWindow(station), alignmentWindow(member))
      const value = ownValueAt(member, raw, { time, alignment }, from)
      return value === undefined ? { id, name } : { id, name, value }
    }),
  }
}
