import type { RuleStates, StationEvaluator } from '../domain/alarms/station-evaluator.ts'
import type { CatalogueStation } from '../domain/site/catalogue.ts'
import type { RecordStore } from '../storage/storage.ts'
import { readRecordValues } from './record-values.ts'

/** Rebuilds the rule states of a station from its last records; their events are ignored. */
export async function rebuildRuleStates({
  data,
  station,
  evaluator,
  lookback,
  time,
}: {
  data: Pick<RecordStore, 'readLists'>
  station: CatalogueStation
  evaluator: StationEvaluator
  lookback: number
  time: number | null
}): Promise<RuleStates> {
  let states: RuleStates = {}
  if (time === null) return states
  const { zone } = station.structure
  const span = { kind: 'theme', source: station.entry.id, from: time - lookback, to: time } as const
  for await (const records of readRecordValues(data, span, station))
    for (const { time, values } of records) {
      const local = time + zone.spanAt(time).offset
      states = evaluator.evaluate({ time, local, values }, null, states, () => null).ruleStates
    }
  return states
}
