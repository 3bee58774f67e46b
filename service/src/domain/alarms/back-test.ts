import type { Zone } from '../time/local-time.ts'
import type { FactorItem } from '../site/site-entry.ts'
import { applyEvent } from './alarm-lifecycle.ts'
import { isOpen, type AlarmState } from './alarm-state.ts'
import { DATA_ALARMS, type DataAlarm } from './alarm-types.ts'
import type { RuleStates } from './rules/rule.ts'
import type { ItemValues } from './threshold-evaluator.ts'
import { isMoreSevere, type Severity } from './alarm-settings.ts'
import { compileStation, type StationBatch, type StationEvaluator } from './station-evaluator.ts'

/**
 * The alarms of one type and level that were raised in one local month. `first` and `last` are the
 * local times of their starts. An alarm that is open at the end lasts to the last record.
 */
type BackTestRow = {
  month: string
  alarmTypeCode: string
  level: number
  count: number
  first: string
  last: string
  longestSeconds: number
}

export type BackTestReport = {
  records: number
  alarms: number
  /** By month, type and level, the most severe level first. */
  rows: BackTestRow[]
}

type BackTestSettings = {
  batches: readonly StationBatch[]
  /** The items of the station's factor, in their order. */
  items: readonly FactorItem[]
  severity: Severity
  /** By default true, as of a structure. */
  evaluateUncertain?: boolean
  zone: Zone
}

/**
 * Evaluates past records of one station, oldest first, with thresholds and rules of a draft.
 *
 * Evaluation and lifecycle are those of the service. Without confirmations here, alarms that need
 * a person are cleared like others.
 */
export class BackTestRun {
  readonly #evaluator: StationEvaluator
  readonly #zone: Zone
  readonly #rows = new Map<string, BackTestRow>()
  readonly #alarmStates = new Map<DataAlarm, AlarmState>()
  readonly #findState = (alarm: DataAlarm) => this.#alarmStates.get(alarm)
  #states: RuleStates = {}
  #records = 0
  #alarms = 0
  #newest: number | null = null

  constructor({ batches, items, severity, evaluateUncertain = true, zone }: BackTestSettings) {
    this.#evaluator = compileStation(
      batches.map((batch) => ({ ...batch, needsPerson: false })),
      items,
      severity,
      { omitsContent: true, evaluateUncertain },
    )
    this.#zone = zone
  }

  /** Evaluates a record: its instant, and its values in the order of the factor's items. */
  add(time: number, values: ItemValues): void {
    const local = time + this.#zone.spanAt(time).offset
    const { ruleStates: states, events } = this.#evaluator.evaluate(
      { time, local, values },
      this.#newest,
      this.#states,
      this.#findState,
    )
    this.#states = states
    this.#records++
    if (this.#newest === null || time > this.#newest) this.#newest = time
    for (const { alarm, event } of events) {
      const before = this.#alarmStates.get(alarm) ?? null
      const transition = applyEvent(before, event, this.#evaluator.lifecycles[alarm])
      if (transition.kind === 'none') continue
      const { state } = transition
      this.#alarmStates.set(alarm, state)
      if (isOpen(state)) continue
      count(this.#rows, this.#rowOf(alarm, state, state.endTime))
      this.#alarms++
    }
  }

  /** Returns the alarms so far, with those that are still open. */
  report(): BackTestReport {
    const rows = structuredClone(this.#rows)
    let alarms = this.#alarms
    for (const [alarm, state] of this.#alarmStates) {
      if (!isOpen(state)) continue
      count(rows, this.#rowOf(alarm, state, this.#newest ?? state.endTime))
      alarms++
    }
    const sorted = [...rows.values()].toSorted((a, b) => this.#compare(a, b))
    return { records: this.#records, alarms, rows: sorted }
  }

  /** Returns one alarm as a row. */
  #rowOf(alarm: DataAlarm, { level, startTime }: AlarmState, end: number): BackTestRow {
    const start = this.#zone.toLocal(startTime)
    return {
      month: start.slice(0, 7),
      alarmTypeCode: DATA_ALARMS[alarm].code,
      level,
      count: 1,
      first: start,
      last: start,
      longestSeconds: Math.round((end - startTime) / 1000),
    }
  }

  #compare(a: BackTestRow, b: BackTestRow): number {
    if (a.month !== b.month) return a.month < b.month ? -1 : 1
    if (a.alarmTypeCode !== b.alarmTypeCode) return a.alarmTypeCode < b.alarmTypeCode ? -1 : 1
    return isMoreSevere(a.level, b.level, this.#evaluator.lifecycles.threshold.severity) ? -1 : 1
  }
}

function count(rows: Map<string, BackTestRow>, row: BackTestRow): void {
  const key = `${row.month} ${row.alarmTypeCode} ${row.level}`
  const present = rows.get(key)
  if (present === undefined) rows.set(key, row)
  else {
    present.count++
    if (row.first < present.first) present.first = row.first
    if (row.last > present.last) present.last = row.last
    present.longestSeconds = Math.max(present.longestSeconds, row.longestSeconds)
  }
}
