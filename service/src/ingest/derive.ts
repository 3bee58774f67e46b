import type { CatalogueSensor, CatalogueStation } from '../domain/catalogue.ts'
import { derivationInForce, deriveValue, type Lookup } from '../domain/derivation.ts'
import { recordText } from '../domain/record-text.ts'
import type { RecordRow } from './theme.ts'

/** The station records that follow from one raw record; a station without a value has none. */
export function derive(
  sensor: CatalogueSensor,
  values: readonly (number | undefined)[],
  time: number,
): RecordRow[] {
  const lookup: Lookup = (id, key) => {
    // After a replacement the old sensor may go on sending; its value is no longer the station's.
    const index = id === sensor.entry.id ? sensor.itemIndex.get(key) : undefined
    return index === undefined ? undefined : values[index]
  }
  return sensor.feeds.flatMap((station) => {
    const derived = deriveStation(station, lookup, time)
    if (derived.every((value) => value === undefined)) return []
    const record = recordText(station.quotedKeys, derived, station.structure.zone.toLocal(time))
    return [{ source: station.entry.id, time, record }]
  })
}

function deriveStation(
  { derivations }: CatalogueStation,
  lookup: Lookup,
  time: number,
): (number | undefined)[] {
  return derivations.map((ofItem) => {
    const derivation = derivationInForce(ofItem, time)
    return derivation === undefined ? undefined : deriveValue(derivation, lookup)
  })
}
