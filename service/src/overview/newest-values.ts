import { qualifiedValues, type QualifiedValues } from '../domain/quality/qualified-values.ts'
import { readPlaces } from '../storage/read-places.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { StationStatus } from './station-states.ts'

/** The values of the newest record of a station, bad ones too; undefined without a record. */
export async function readNewestValues(
  records: Pick<RecordStore, 'readLists' | 'readMarks'>,
  { station, newest }: StationStatus,
): Promise<QualifiedValues | undefined> {
  if (newest === null) return undefined
  const span = { kind: 'theme', source: station.entry.id, from: newest, to: newest } as const
  for await (const [place] of readPlaces(records, span))
    if (place !== undefined) return qualifiedValues(place, station)
  return undefined
}
