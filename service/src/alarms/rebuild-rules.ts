import type { RuleStates } from '../domain/alarms/rules/rule.ts'
import { isValue } from '../domain/alarms/threshold-evaluator.ts'
import type { CatalogueStation } from '../domain/site/catalogue.ts'
import type { RecordStore } from '../storage/storage.ts'
import { readRecordValues } from './record-values.ts'
import type { CompiledEvaluator } from './station-evaluators.ts'

type RebuildOptions = {
  data: Pick<RecordStore, 'readLists' | 'readMarks'>
  station: CatalogueStation
  compiled: CompiledEvaluator
}

/** Rebuilds the rule states of a station from its last records; their events are ignored. */
export async function rebuildRuleStates({
  data,
  station,
  compiled,
  time,
}: RebuildOptions & { time: number | null }): Promise<RuleStates> {
  let states: RuleStates = {}
  if (time === null) return states
  const { zone } = station.structure
  const from = time - (await findLookback({ data, station, compiled, time }))
  const span = { kind: 'theme', source: station.entry.id, from, to: time } as const
  for await (const records of readRecordValues(data, span, station))
    for (const { time, values } of records) {
      const local = time + zone.spanAt(time).offset
      states = compiled.evaluator.evaluate(
        { time, local, values },
        null,
        states,
        () => null,
      ).ruleStates
    }
  return states
}

const HOUR_MS = 3_600_000

/** After so many records a value that is to be counted is not looked for any more. */
const MOST_RECORDS = 20_000

/**
 * How far back records are read: as far as the rules say, and farther until on-delays and spikes have
 * the values that they count. The time is widened in steps, since nobody knows how often records come.
 */
async function findLookback({
  data,
  station,
  compiled: { evaluator, lookback, valueLookbacks },
  time,
}: RebuildOptions & { time: number }): Promise<number> {
  if (valueLookbacks.length === 0) return lookback
  const { zone } = station.structure
  for (let more = HOUR_MS; ; more *= 4) {
    const width = lookback + more
    const span = { kind: 'theme', source: station.entry.id, from: time - width, to: time } as const
    const missing = valueLookbacks.map(({ values }) => values)
    let states: RuleStates = {}
    let count = 0
    for await (const records of readRecordValues(data, span, station)) {
      count += records.length
      for (const one of records) {
        const local = one.time + zone.spanAt(one.time).offset
        const { measured, ruleStates } = evaluator.measure({ ...one, local }, states)
        states = ruleStates
        for (const [index, { place, milliseconds }] of valueLookbacks.entries())
          if (isValue(measured[place]) && one.time <= time - milliseconds)
            missing[index] = (missing[index] ?? 0) - 1
      }
    }
    if (missing.every((left) => left <= 0) || count >= MOST_RECORDS || time - width <= 0)
      return width
  }
}
