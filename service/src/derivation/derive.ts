import type { CatalogueSensor } from '../domain/site/catalogue.ts'
import { deriveValue, type RawLookup } from '../domain/derivation/derivation.ts'
import { recordText } from '../domain/records/record-text.ts'
import { validityPeriodAt } from '../domain/derivation/validity-periods.ts'
import { dependsOnOneRecord } from '../domain/derivation/station-records.ts'
import type { RecordKeys } from '../storage/storage.ts'
import type { StationRow } from '../commit/rows.ts'

/** A record that follows from one raw record; without a text there must be none. */
export type Derived = Omit<StationRow, 'record'> & { record: string | undefined }

/**
 * The records of those stations that hang on this sensor alone; what hangs on several is derived
 * once their records are stored (`StationDerivation`).
 */
export function derive(
  sensor: CatalogueSensor,
  values: readonly (number | undefined)[],
  time: number,
): Derived[] {
  const lookup: RawLookup = (id, key) => {
    const index = id === sensor.entry.id ? sensor.itemIndex.get(key) : undefined
    return index === undefined ? undefined : values[index]
  }
  return sensor.feeds.flatMap((station) => {
    const era = validityPeriodAt(station.validityPeriods, time)
    // After a replacement the old sensor may go on sending; its value is no longer the station's.
    if (era === undefined || era.sensors[0] !== sensor.entry.id) return []
    if (!dependsOnOneRecord(station, era)) return []
    const derived = era.derivations.map((derivation) =>
      derivation === undefined ? undefined : deriveValue(derivation, lookup),
    )
    const isEmpty = derived.every((value) => value === undefined)
    const local = isEmpty ? '' : station.structure.zone.toLocal(time)
    const record = isEmpty ? undefined : recordText(station.quotedKeys, derived, local)
    return [{ source: station.entry.id, time, record, values: derived }]
  })
}

/** What is to be written and what is to be gone; of two of one instant the later counts. */
export function sortDerived(derived: readonly Derived[]): { rows: StationRow[]; gone: RecordKeys } {
  const gone: RecordKeys = { sources: [], times: [] }
  const isWhole = derived.every(({ record }) => record !== undefined)
  if (isWhole) return { rows: derived as StationRow[], gone }
  const last = new Map(derived.map((one) => [`${one.source} ${one.time}`, one]))
  const rows: StationRow[] = []
  for (const one of last.values()) {
    const { source, time, record } = one
    if (record !== undefined) {
      rows.push({ ...one, record })
      continue
    }
    gone.sources.push(source)
    gone.times.push(time)
  }
  return { rows, gone }
}
