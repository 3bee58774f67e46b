import {
  withoutGoodValue,
  type MarkedRecords,
  type SensorMarks,
} from '../domain/derivation/raw-marks.ts'
import { alignmentWindow } from '../domain/derivation/station-records.ts'
import { validityPeriodAt } from '../domain/derivation/validity-periods.ts'
import { parseMarks } from '../domain/quality/qualified-values.ts'
import type { Catalogue, CatalogueStation } from '../domain/site/catalogue.ts'
import type { RecordStore } from '../storage/storage.ts'
import { findOwnInstants, rawSpans, readRaw } from './span-difference.ts'
import type { Span } from './span.ts'

/** Reads the raw records that a station's records of a span depend on, with the marks of their values. */
export async function readMarked(
  data: Pick<RecordStore, 'readLists' | 'readMarks'>,
  catalogue: Catalogue,
  station: CatalogueStation,
  span: Span,
): Promise<MarkedRecords> {
  const marks = new Map<string, SensorMarks>()
  for (const [id, places] of rawSpans(catalogue, station, span)) {
    const lists = await Array.fromAsync(data.readMarks({ kind: 'raw', ...places }))
    const ofSensor = lists.flatMap(({ times, marks }) =>
      times.map((time, at) => ({ time, marks: parseMarks(marks[at] ?? '{}') })),
    )
    marks.set(id, ofSensor)
  }
  return { raw: await readRaw(data, catalogue, station, span), marks }
}

/**
 * The instants of a span at which a station has a derived record, or would have one if the raw values
 * were not bad.
 */
export function findExplainedInstants(
  station: CatalogueStation,
  records: MarkedRecords,
  { from, to }: Span,
): number[] {
  const own = findOwnInstants(station, records.raw, { from, to })
  const alignment = alignmentWindow(station)
  const bad = (station.entry.from?.sensors ?? []).flatMap((sensor) =>
    withoutGoodValue(records, sensor).filter(
      (time) =>
        time >= from &&
        time <= to &&
        validityPeriodAt(station.validityPeriods, time)?.sensors.includes(sensor) === true &&
        !own.some((other) => Math.abs(other - time) <= alignment),
    ),
  )
  return [...own, ...bad]
}
