import type { ThresholdItem } from '../site/site-entry.ts'
import { cutDay, type LimitSource } from './day-parts.ts'
import type { Severity } from './alarm-settings.ts'
import { IN_DEADBAND, compileValueLine, type Gap, type ValueLine } from './value-line.ts'

/** A value over a limit. `limit` says which, as in `threshold (20,+)`. */
export type Violation = Readonly<{ item: string; level: number; limit: string }>

/** What a value is to its limits: over one, within the deadband of one, or normal. */
export type ValueOutcome = 'violation' | 'deadband' | 'normal'

/** A record's values in the order of the factor's items. */
export type ItemValues = readonly (number | null | undefined)[]

/** The part of a batch that says something about thresholds. */
export type ThresholdSettings = Readonly<{
  items: readonly Pick<ThresholdItem, 'item' | 'config' | 'hysteresis'>[]
}>

const NO_VIOLATIONS: readonly Violation[] = Object.freeze([])

/**
 * The thresholds of one station, compiled to evaluate values.
 *
 * `items` are the keys of the factor's items, in the order of a record's values. Where several
 * batches cover one item, the most severe level of any of them holds.
 */
export function compileThresholds(
  batches: readonly ThresholdSettings[],
  items: readonly string[],
  severity: Severity,
): ThresholdEvaluator {
  const lines: ItemLines[] = []
  for (const [place, key] of items.entries()) {
    const sources = batches.flatMap((batch) => batch.items.filter(({ item }) => item === key))
    const pieces = cutDay(sources.flatMap(limitSourcesOf))
    if (pieces.every(({ sources }) => sources.length === 0)) continue
    const starts = pieces.map(({ start }) => start)
    const valueLines = pieces.map(({ sources }) => compileValueLine(sources, severity))
    lines.push({ key, place, starts, lines: valueLines })
  }
  return new ThresholdEvaluator(lines)
}

type ItemLines = { key: string; place: number; starts: number[]; lines: ValueLine[] }

/** Never changes: thresholds that change are compiled anew, so each record meets one version. */
export class ThresholdEvaluator {
  readonly #items: readonly ItemLines[]

  constructor(items: readonly ItemLines[]) {
    this.#items = items
  }

  get isEmpty(): boolean {
    return this.#items.length === 0
  }

  /** Ranges in which the deadband leaves no normal value, so that an alarm would never be cleared. */
  get closedGaps(): Gap[] {
    return this.#items.flatMap(({ lines }) => lines.flatMap(({ closedGaps }) => closedGaps))
  }

  /** The items over a limit at a second of the local day; no value, or NaN, is over none. */
  evaluate(values: ItemValues, secondOfDay: number): readonly Violation[] {
    let violations: Violation[] | undefined
    const items = this.#items
    for (let index = 0; index < items.length; index++) {
      const item = items[index]!
      const value = values[item.place]
      if (!isValue(value)) continue
      const line = lineAt(item, secondOfDay)
      const code = line.codeOf(value)
      if (code <= 0) continue
      const { level, limit } = line.mark(code)
      violations ??= []
      violations.push({ item: item.key, level, limit })
    }
    return violations ?? NO_VIOLATIONS
  }

  /** What an item's value is to its limits; undefined when it has limits and no value. */
  outcomeOf(key: string, values: ItemValues, secondOfDay: number): ValueOutcome | undefined {
    const item = this.#items.find((one) => one.key === key)
    if (item === undefined) return 'normal'
    const value = values[item.place]
    if (!isValue(value)) return undefined
    const code = lineAt(item, secondOfDay).codeOf(value)
    return code > 0 ? 'violation' : code === IN_DEADBAND ? 'deadband' : 'normal'
  }
}

/** Whether there is a value: not absent, not null, not NaN, not infinite. */
export function isValue(value: number | null | undefined): value is number {
  return typeof value === 'number' && value - value === 0
}

function lineAt({ starts, lines }: ItemLines, secondOfDay: number): ValueLine {
  let piece = starts.length - 1
  while (piece > 0 && starts[piece]! > secondOfDay) piece--
  return lines[piece]!
}

function limitSourcesOf({ config, hysteresis }: ThresholdSettings['items'][number]): LimitSource[] {
  return config.map(({ startTime, endTime, thresholds }) => {
    return { startTime, endTime, thresholds, hysteresis }
  })
}
