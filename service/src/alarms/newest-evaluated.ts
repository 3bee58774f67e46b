import type { CatalogueStation } from '../domain/site/catalogue.ts'
import { qualifiedValues, reevaluatedValues } from '../domain/quality/qualified-values.ts'
import type { RecordStore, StoredPlace } from '../storage/storage.ts'
import { readRecordValues } from './record-values.ts'
import { alarmSettings } from './station-evaluators.ts'

export type EvaluatedRecords = Pick<RecordStore, 'findNewest' | 'readLists' | 'readMarks'>

const HOUR = 3_600_000

/**
 * The instant of each station's newest record with a value that rules and thresholds judge; `null` where
 * there is none. A record whose values are all bad by their sender or a person is passed over.
 */
export async function findNewestEvaluated(
  data: EvaluatedRecords,
  stations: readonly CatalogueStation[],
  horizon: number,
): Promise<(number | null)[]> {
  const ids = stations.map(({ entry }) => entry.id)
  const newest = await data.findNewest('theme', ids, horizon)
  const evaluated: (number | null)[] = []
  for (const [at, station] of stations.entries())
    evaluated.push(await findFrom(data, station, newest[at] ?? null))
  return evaluated
}

/** Whether what is stored at an instant has a value that rules and thresholds judge. */
export function isEvaluated(station: CatalogueStation, place: StoredPlace): boolean {
  if (place.marks === null) return place.record !== null
  const values = qualifiedValues(place, station)
  return reevaluatedValues(values, alarmSettings(station.structure)).some(isNumber)
}

/** Looks back from an instant, in spans of growing width. */
async function findFrom(
  data: EvaluatedRecords,
  station: CatalogueStation,
  newest: number | null,
): Promise<number | null> {
  let to = newest
  for (let width = 1; to !== null; width = Math.max(HOUR, width * 4)) {
    const found = await findWithin(data, station, { from: to - width + 1, to })
    if (found !== undefined) return found
    const [earlier] = await data.findNewest('theme', [station.entry.id], to - width)
    // Of a sealed day it may be the first record only: the others are looked at too.
    to = typeof earlier === 'number' ? to - width : null
  }
  return null
}

async function findWithin(
  data: EvaluatedRecords,
  station: CatalogueStation,
  span: { from: number; to: number },
): Promise<number | undefined> {
  const places = { kind: 'theme', source: station.entry.id, ...span } as const
  let found: number | undefined
  for await (const records of readRecordValues(data, places, station))
    found = records.findLast(({ values }) => values.some(isNumber))?.time ?? found
  return found
}

const isNumber = (value: unknown): boolean => typeof value === 'number'
