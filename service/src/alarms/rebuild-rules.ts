import type { RuleStates } from '../domain/alarms/rules/rule.ts'
import type { StationEvaluator } from '../domain/alarms/station-evaluator.ts'
import { isValue } from '../domain/alarms/threshold-evaluator.ts'
import type { CatalogueStation } from '../domain/site/catalogue.ts'
import type { RecordStore } from '../storage/storage.ts'
import { readRecordValues } from './record-values.ts'

type RebuildOptions = {
  data: Pick<RecordStore, 'readLists'>
  station: CatalogueStation
  evaluator: StationEvaluator
  lookback: number
}

/** Rebuilds the rule states of a station from its last records; their events are ignored. */
export async function rebuildRuleStates({
  data,
  station,
  evaluator,
  lookback,
  time,
}: RebuildOptions & { time: number | null }): Promise<RuleStates> {
  let states: RuleStates = {}
  if (time === null) return states
  const { zone } = station.structure
  const from = time - (await findLookback({ data, station, evaluator, lookback, time }))
  const span = { kind: 'theme', source: station.entry.id, from, to: time } as const
  for await (const records of readRecordValues(data, span, station))
    for (const { time, values } of records) {
      const local = time + zone.spanAt(time).offset
      states = evaluator.evaluate({ time, local, values }, null, states, () => null).ruleStates
    }
  return states
}

const HOUR_MS = 3_600_000

/** After so many records a value that an on-delay looks for is not looked for any more. */
const MOST_RECORDS = 20_000

/**
 * How far back records are read: as far as the rules say, and farther until the on-delays have the
 * values that they count. The time is widened in steps, since nobody knows how often records come.
 */
async function findLookback({
  data,
  station,
  evaluator,
  lookback,
  time,
}: RebuildOptions & { time: number }): Promise<number> {
  if (evaluator.delays.length === 0) return lookback
  for (let width = Math.max(lookback, HOUR_MS); ; width *= 4) {
    const span = { kind: 'theme', source: station.entry.id, from: time - width, to: time } as const
    const missing = evaluator.delays.map(({ lookback: { values } }) => values)
    let count = 0
    for await (const records of readRecordValues(data, span, station)) {
      count += records.length
      for (const one of records) {
        const measured = evaluator.measure(one.values)
        for (const [index, { place, lookback }] of evaluator.delays.entries())
          if (isValue(measured[place]) && one.time <= time - lookback.milliseconds)
            missing[index] = (missing[index] ?? 0) - 1
      }
    }
    if (missing.every((left) => left <= 0) || count >= MOST_RECORDS || time - width <= 0)
      return width
  }
}
