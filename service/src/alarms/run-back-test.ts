import { setImmediate } from 'node:timers/promises'
import { BackTestRun, type BackTestReport } from '../domain/alarms/back-test.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { ThresholdBatchEntry } from '../domain/site/site-entry.ts'
import type { RecordStore } from '../storage/storage.ts'
import { alarmSettings } from './station-evaluators.ts'
import { readRecordValues } from './record-values.ts'

/** The alarms that a draft threshold batch would have raised at its stations, in a window. */
export async function runBackTest(
  data: Pick<RecordStore, 'readLists' | 'readMarks'>,
  catalogue: Catalogue,
  draft: ThresholdBatchEntry,
  { from, to }: { from: number; to: number },
): Promise<({ id: number; name: string } & BackTestReport)[]> {
  const reports: ({ id: number; name: string } & BackTestReport)[] = []
  for (const id of new Set(draft.stations)) {
    const station = catalogue.stations.get(id)
    if (station === undefined) continue
    const { structure, factor, entry } = station
    const { severity, evaluateUncertain } = alarmSettings(structure)
    const test = new BackTestRun({
      batches: [draft],
      items: factor.items,
      severity,
      evaluateUncertain,
      zone: structure.zone,
    })
    const span = { kind: 'theme', source: id, from, to } as const
    for await (const records of readRecordValues(data, span, station)) {
      for (const { time, values } of records) test.add(time, values)
      // A year of a station takes most of a second: other work runs between pages.
      await setImmediate()
    }
    reports.push({ id, name: entry.name, ...test.report() })
  }
  return reports
}
