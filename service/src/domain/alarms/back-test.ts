import type { Zone } from '../time/local-time.ts'
import type { FactorItem } from '../site/site-entry.ts'
import { step, isOpen, type AlarmWatch } from './alarm-life.ts'
import { DATA_ALARMS, type DataAlarm } from './alarm-types.ts'
import type { Values } from './item-evaluator.ts'
import { isWorse, type Severity } from './alarm-settings.ts'
import {
  compileStation,
  type RuleStates,
  type StationBatch,
  type StationJudge,
} from './station-evaluator.ts'

/**
 * The alarms of one type and level that began in one local month. Times are local, `first` and
 * `last` those of their beginnings; an alarm that is open at the end lasts to the last record.
 */
export type BackTestRow = {
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
  /** By month, then type, then level with the worst first. */
  rows: BackTestRow[]
}

export type BackTestSettings = {
  batches: readonly StationBatch[]
  /** The items of the station's factor, in their order. */
  items: readonly FactorItem[]
  severity: Severity
  zone: Zone
}

/**
 * Runs past records of one station, oldest first, through draft thresholds and rules.
 *
 * It is the judging and the life of the real thing. Nobody confirms anything here, so alarms that
 * need a person end as those do that need none.
 */
export class BackTest {
  readonly #judge: StationJudge
  readonly #zone: Zone
  readonly #rows = new Map<string, BackTestRow>()
  readonly #watches = new Map<DataAlarm, AlarmWatch>()
  readonly #findWatch = (alarm: DataAlarm) => this.#watches.get(alarm)
  #states: RuleStates = {}
  #records = 0
  #alarms = 0
  #newest: number | null = null

  constructor({ batches, items, severity, zone }: BackTestSettings) {
    this.#judge = compileStation(
      batches.map((batch) => ({ ...batch, needsPerson: false })),
      items,
      severity,
      { isSilent: true },
    )
    this.#zone = zone
  }

  /** Adds a record: its instant, and its values in the order of the factor's items. */
  add(time: number, values: Values): void {
    const local = time + this.#zone.spanAt(time).offset
    const { states, events } = this.#judge.observe(
      { time, local, values },
      this.#newest,
      this.#states,
      this.#findWatch,
    )
    this.#states = states
    this.#records++
    if (this.#newest === null || time > this.#newest) this.#newest = time
    for (const { alarm, event } of events) {
      const before = this.#watches.get(alarm) ?? null
      const { watch } = step(before, event, this.#judge.life[alarm])
      if (watch === null || watch === before) continue
      this.#watches.set(alarm, watch)
      if (isOpen(watch)) continue
      count(this.#rows, this.#rowOf(alarm, watch, watch.endTime))
      this.#alarms++
    }
  }

  /** What has come about so far, the alarms that are still open included. */
  report(): BackTestReport {
    const rows = structuredClone(this.#rows)
    let alarms = this.#alarms
    for (const [alarm, watch] of this.#watches) {
      if (!isOpen(watch)) continue
      count(rows, this.#rowOf(alarm, watch, this.#newest ?? watch.endTime))
      alarms++
    }
    const sorted = [...rows.values()].toSorted((a, b) => this.#compare(a, b))
    return { records: this.#records, alarms, rows: sorted }
  }

  /** One alarm as a row of its own. */
  #rowOf(alarm: DataAlarm, { level, startTime }: AlarmWatch, end: number): BackTestRow {
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
    return isWorse(a.level, b.level, this.#judge.life.threshold.severity) ? -1 : 1
  }
}

function count(rows: Map<string, BackTestRow>, row: BackTestRow): void {
  const key = `${row.month} ${row.alarmTypeCode} ${row.level}`
  const known = rows.get(key)
  if (known === undefined) rows.set(key, row)
  else {
    known.count++
    if (row.first < known.first) known.first = row.first
    if (row.last > known.last) known.last = row.last
    known.longestSeconds = Math.max(known.longestSeconds, row.longestSeconds)
  }
}
