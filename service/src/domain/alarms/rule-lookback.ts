import { DAY_MS } from '../time/wall-clock.ts'
import type { FrozenSettings, RaiseSettings, RateSettings } from './alarm-settings.ts'
import type { StationBatch } from './station-evaluator.ts'
import { isHiding, qualityOf } from './rules/rule-quality.ts'

/** Which rules hide values from others. */
type LookbackOptions = { evaluateUncertain?: boolean }

const HOUR_MS = 3_600_000

/**
 * How far back rules have to read records to rebuild their states, in milliseconds.
 *
 * A frozen value needs `records` records less than `hours` apart; a rate its longest gap; a rate over
 * days these days and the one before. Rates that do not see frozen values need these beforehand.
 */
export function lookbackOf(
  batches: readonly StationBatch[],
  { evaluateUncertain = true }: LookbackOptions = {},
): number {
  const spans = batches.flatMap(({ items, raiseAfter }) => [
    // A number of values is looked for beyond it.
    ...(raiseAfter === undefined ? [] : [Math.max(1, spanOfDelay(raiseAfter))]),
    ...items.flatMap(({ rates = [], spike, frozen }) => {
      const frozenSpan = frozen === undefined ? 0 : spanOfFrozen(frozen)
      const isHidden = isHiding(qualityOf('frozen', frozen?.quality), evaluateUncertain)
      return [
        ...rates.map((rate) => spanOfRate(rate) + (isHidden ? frozenSpan : 0)),
        ...(spike === undefined ? [] : [1]),
        frozenSpan,
      ]
    }),
  ])
  return Math.max(0, ...spans)
}

/** So many values of the item at a place of a record have to be read, as old as this or older. */
export type ValueLookback = Readonly<{ place: number; values: number; milliseconds: number }>

/**
 * How many values on-delays and spikes have to see to rebuild their states, however far apart records
 * are; `keys` are those of the factor's items. Only values that no rule hides are counted.
 *
 * Of the values that are read the first ones are not judged by a spike rule yet. Where such a rule
 * hides values from others, it has to be ready before what those look back at.
 */
export function valueLookbacksOf(
  batches: readonly StationBatch[],
  keys: readonly string[],
  { evaluateUncertain = true }: LookbackOptions = {},
): ValueLookback[] {
  const lookback = lookbackOf(batches, { evaluateUncertain })
  return batches.flatMap(({ items, raiseAfter }) =>
    items.flatMap(({ item, spike }) => {
      const place = keys.indexOf(item)
      if (place === -1) return []
      const isHidden = isHiding(spike && qualityOf('spike', spike.quality), evaluateUncertain)
      const unjudged = isHidden && spike !== undefined ? spike.records - 1 : 0
      const lookbacks: ValueLookback[] = []
      if (raiseAfter !== undefined) {
        const values = 'minutes' in raiseAfter ? 1 : raiseAfter.of
        lookbacks.push({ place, values: values + unjudged, milliseconds: spanOfDelay(raiseAfter) })
      }
      if (spike !== undefined)
        lookbacks.push({ place, values: spike.records, milliseconds: isHidden ? lookback : 0 })
      return lookbacks
    }),
  )
}

const spanOfDelay = (raiseAfter: RaiseSettings): number =>
  'minutes' in raiseAfter ? raiseAfter.minutes * 60_000 : 0

function spanOfRate({ per, days, longestGap }: RateSettings): number {
  if (days !== undefined) return (days + 3) * DAY_MS
  return (longestGap + 2) * (per === 'hour' ? HOUR_MS : DAY_MS)
}

const spanOfFrozen = ({ hours, records }: FrozenSettings): number =>
  Math.max(2, records) * hours * HOUR_MS
