import type { CatalogueSensor, CatalogueStation } from '../domain/catalogue.ts'
import { findConversion } from '../domain/conversion.ts'
import { recordText } from '../domain/record-text.ts'
import { roundToPrecision } from '../domain/rounding.ts'
import type { ConversionSettings } from '../domain/site-entry.ts'
import type { RecordRow } from './theme.ts'

/** The station records that follow from one raw record; a station without a value has none. */
export function derive(
  sensor: CatalogueSensor,
  values: readonly (number | undefined)[],
  time: number,
): RecordRow[] {
  return sensor.feeds.flatMap((station) => {
    const derived = deriveStation(station, sensor, values, time)
    if (derived.every((value) => value === undefined)) return []
    const record = recordText(station.quotedKeys, derived, station.structure.zone.toLocal(time))
    return [{ source: station.entry.id, time, record }]
  })
}

function deriveStation(
  station: CatalogueStation,
  sensor: CatalogueSensor,
  values: readonly (number | undefined)[],
  time: number,
): (number | undefined)[] {
  const conversions = station.entry.from?.conversions ?? []
  return station.factor.items.map(({ key, precision }) => {
    const ofItem = conversions.filter(({ item }) => item === key)
    const settings = inForce(ofItem, station, time)
    // After a replacement the old sensor may go on sending; its value is no longer the station's.
    if (settings === undefined || settings.sensor !== sensor.entry.id) return undefined
    const value = convert(settings, sensor, values)
    return value === undefined ? undefined : roundToPrecision(value, precision)
  })
}

/** The parameters with the latest start that is not after the record. */
function inForce(
  settings: readonly ConversionSettings[],
  { structure }: CatalogueStation,
  time: number,
): ConversionSettings | undefined {
  let latest: { settings: ConversionSettings; since: number } | undefined
  for (const one of settings) {
    const since =
      one.validFrom === null ? -Infinity : (structure.zone.toInstant(one.validFrom) ?? Infinity)
    if (since <= time && since >= (latest?.since ?? -Infinity)) latest = { settings: one, since }
  }
  return latest?.settings
}

/** A missing input gives an absent value, never a wrong one. */
function convert(
  { kind, parameters }: ConversionSettings,
  sensor: CatalogueSensor,
  values: readonly (number | undefined)[],
): number | undefined {
  const conversion = findConversion(kind)
  if (conversion === undefined) return undefined

  const inputs: Record<string, number> = {}
  for (const name of Object.keys(conversion.inputs)) {
    const index = sensor.itemIndex.get(String(parameters[name] ?? name))
    const value = index === undefined ? undefined : values[index]
    if (value !== undefined) inputs[name] = value
  }
  const numbers = Object.entries(parameters).filter(([, value]) => typeof value === 'number')
  return conversion.convert(inputs, Object.fromEntries(numbers) as Record<string, number>)
}
