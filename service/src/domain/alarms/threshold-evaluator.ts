import type { ThresholdItem } from '../site/site-entry.ts'
import { divideDay, type LimitSource } from './day-parts.ts'
import type { Severity } from './alarm-settings.ts'
import { compileLimitLine, type Gap, type ReachedLimit, type LimitLine } from './limit-line.ts'

/** An item whose value reaches a limit. */
export type Violation = ReachedLimit & Readonly<{ item: string }>

/** Whether a value is over a limit, within the deadband of one, or normal. */
export type ValueOutcome = 'violation' | 'deadband' | 'normal'

/** A record's values in the order of the factor's items. */
export type ItemValues = readonly (number | null | undefined)[]

/** The thresholds of a threshold batch. */
export type ThresholdSettings = Readonly<{
  items: readonly Pick<ThresholdItem, 'item' | 'config' | 'hysteresis'>[]
}>

const NO_VIOLATIONS: readonly Violation[] = Object.freeze([])

/**
 * Compiles the thresholds of one station to evaluate values.
 *
 * `items` are the keys of the factor's items, in the order of a record's values. Where several
 * batches cover one item, the most severe level applies.
 */
export function compileThresholds(
  batches: readonly ThresholdSettings[],
  items: readonly string[],
  severity: Severity,
): ThresholdEvaluator {
  const lines: ItemLines[] = []
  for (const [place, key] of items.entries()) {
    const sources = batches.flatMap((batch) => batch.items.filter(({ item }) => item === key))
    const parts = divideDay(sources.flatMap(limitSourcesOf))
    if (parts.every(({ sources }) => sources.length === 0)) continue
    const [first, ...later] = parts.map(({ start, sources }) => {
      return { start, line: compileLimitLine(sources, severity) }
    })
    if (first !== undefined) lines.push({ key, place, line: first.line, later })
  }
  return new ThresholdEvaluator(lines)
}

type ItemLines = Readonly<{
  key: string
  place: number
  /** The line from midnight on. */
  line: LimitLine
  /** The lines of the later parts of the day, ascending. */
  later: readonly Readonly<{ start: number; line: LimitLine }>[]
}>

/** Immutable: changed thresholds are compiled to a new one, so a record sees one version only. */
export class ThresholdEvaluator {
  readonly #items: readonly ItemLines[]

  constructor(items: readonly ItemLines[]) {
    this.#items = items
  }

  get isEmpty(): boolean {
    return this.#items.length === 0
  }

  /** Gaps in which the deadband leaves no normal value, so that an alarm could not be cleared. */
  get closedGaps(): Gap[] {
    return this.#items.flatMap(({ line, later }) =>
      [line, ...later.map((part) => part.line)].flatMap(({ closedGaps }) => closedGaps),
    )
  }

  /** Returns the items over a limit at a second of the local day. A missing value is over none. */
  evaluate(values: ItemValues, secondOfDay: number): readonly Violation[] {
    let violations: Violation[] | undefined
    const items = this.#items
    for (let index = 0; index < items.length; index++) {
      const item = items[index]
      if (item === undefined) continue
      const value = values[item.place]
      if (!isValue(value)) continue
      const outcome = lineAt(item, secondOfDay).outcomeOf(value)
      if (typeof outcome === 'string') continue
      violations ??= []
      violations.push({ item: item.key, level: outcome.level, limit: outcome.limit })
    }
    return violations ?? NO_VIOLATIONS
  }

  /** Returns the outcome of an item's value; undefined if the item has limits and no value. */
  outcomeOf(key: string, values: ItemValues, secondOfDay: number): ValueOutcome | undefined {
    const item = this.#items.find((one) => one.key === key)
    if (item === undefined) return 'normal'
    const value = values[item.place]
    if (!isValue(value)) return undefined
    const outcome = lineAt(item, secondOfDay).outcomeOf(value)
    return typeof outcome === 'string' ? outcome : 'violation'
  }
}

/** Whether a value is a finite number. */
export function isValue(value: number | null | undefined): value is number {
  return typeof value === 'number' && value - value === 0
}

function lineAt(item: ItemLines, secondOfDay: number): LimitLine {
  const { later } = item
  let { line } = item
  for (let index = 0; index < later.length; index++) {
    const part = later[index]
    if (part === undefined || part.start > secondOfDay) break
    ;({ line } = part)
  }
  return line
}

function limitSourcesOf({ config, hysteresis }: ThresholdSettings['items'][number]): LimitSource[] {
  return config.map(({ startTime, endTime, thresholds }) => {
    return { startTime, endTime, thresholds, hysteresis }
  })
}
