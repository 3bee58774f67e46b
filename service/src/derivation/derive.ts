import { UNCERTAIN_INPUT, type Mark } from '../domain/quality/quality.ts'
import { servedValues, type QualifiedValues } from '../domain/quality/qualified-values.ts'
import type { CatalogueSensor } from '../domain/site/catalogue.ts'
import { deriveValue, type RawLookup } from '../domain/derivation/derivation.ts'
import { recordText } from '../domain/records/record-text.ts'
import { validityPeriodAt } from '../domain/derivation/validity-periods.ts'
import { dependsOnOneRecord } from '../domain/derivation/station-records.ts'
import type { RecordKeys } from '../storage/storage.ts'
import type { CompleteRow } from '../commit/complete-rows.ts'
import type { NewRecord } from '../commit/rows.ts'
import type { UnitOfWork } from '../commit/unit-of-work.ts'
import { inSlices } from '../concurrency/in-slices.ts'

/** A station record that is derived from raw records; without a text there must be none. */
export type Derived = Omit<NewRecord, 'record'> & { record: string | undefined }

/**
 * Derives the records of the stations that depend on this sensor alone; `StationDerivation` derives
 * those that depend on several sensors.
 */
export function derive(
  sensor: CatalogueSensor,
  qualified: QualifiedValues,
  time: number,
): Derived[] {
  const values = servedValues(qualified)
  const { marks } = qualified
  let isUncertain = false
  const lookup: RawLookup = (id, key) => {
    const index = id === sensor.entry.id ? sensor.itemIndex.get(key) : undefined
    if (index === undefined) return undefined
    if (marks?.[index]?.quality === 'uncertain') isUncertain = true
    return values[index]
  }
  return sensor.feeds.flatMap((station) => {
    const period = validityPeriodAt(station.validityPeriods, time)
    // A sensor that was replaced may still send: its values are no longer those of the station.
    if (period === undefined || period.sensors[0] !== sensor.entry.id) return []
    if (!dependsOnOneRecord(station, period)) return []
    let inputs: (Mark | undefined)[] | undefined
    const derived = period.derivations.map((derivation, place) => {
      isUncertain = false
      const value = derivation === undefined ? undefined : deriveValue(derivation, lookup)
      if (isUncertain) (inputs ??= [])[place] = UNCERTAIN_INPUT
      return value
    })
    const isEmpty = derived.every((value) => value === undefined)
    const local = isEmpty ? '' : station.structure.zone.toLocal(time)
    const record = isEmpty ? undefined : recordText(station.quotedKeys, derived, local)
    return [{ source: station.entry.id, time, record, values: derived, marks: inputs }]
  })
}

const hasText = (one: Derived): one is NewRecord => one.record !== undefined

/** Divides derived records into those to write and those to delete; of one instant the last one counts. */
export function sortDerived(derived: readonly Derived[]): {
  rows: readonly NewRecord[]
  gone: RecordKeys
} {
  const gone: RecordKeys = { sources: [], times: [] }
  if (derived.every(hasText)) return { rows: derived, gone }
  const last = new Map(derived.map((one) => [`${one.source} ${one.time}`, one]))
  const rows: NewRecord[] = []
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

/** The station records that are derived from each of some raw records alone. */
export async function deriveRows(
  rows: readonly CompleteRow[],
  sensorOf: (source: number) => CatalogueSensor,
): Promise<Pick<UnitOfWork, 'theme' | 'deletions'>> {
  const all: Derived[] = []
  await inSlices(rows, ({ source, time, qualified }) => {
    for (const one of derive(sensorOf(source), qualified, time)) all.push(one)
  })
  const { rows: theme, gone } = sortDerived(all)
  return { theme, deletions: { theme: gone } }
}
