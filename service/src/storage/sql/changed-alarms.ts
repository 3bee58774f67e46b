import type { Statement } from './engine.ts'
import type { AlarmChange, AlarmWrites } from '../storage.ts'

type Columns = unknown[][]
type Key = Pick<AlarmChange['alarm'], 'source' | 'alarmTypeCode'>

/** What a write makes of one alarm: as it is afterwards, and its steps so far. */
type Changed = {
  /** Among the new alarms of the write; undefined where the alarm was there before. */
  place: number | undefined
  /** An ended alarm is not found by being open, also where the write opens it again. */
  wasOpen: boolean
  alarm: AlarmChange['alarm']
  watch: AlarmChange['watch']
  steps: number
}

type Told = { of: Changed; step: number; isLate: boolean }

/**
 * The changes of one write, gathered by alarm: each alarm and watch is written once, as the last
 * change leaves it, each step and notice in its order.
 *
 * A logger that flutters over a threshold raises and ends tens of thousands of alarms in one write.
 */
export class ChangedAlarms {
  readonly #writes: Pick<AlarmWrites, 'at' | 'writer' | 'now'>
  /** The newest alarm of each source and type. */
  readonly #newest = new Map<string, Changed>()
  readonly #known: Changed[] = []
  readonly #new: Changed[] = []
  readonly #told: Told[] = []
  readonly #stepsOfKnown = columns(8)
  readonly #stepsOfNew = columns(8)

  constructor(writes: Pick<AlarmWrites, 'at' | 'writer' | 'now'>) {
    this.#writes = writes
  }

  readonly add = (change: AlarmChange): void => {
    const { alarm, watch, isNew, detail, isLate, isReopened = false } = change
    const key = `${alarm.alarmTypeCode} ${alarm.source.id}`
    let of = this.#newest.get(key)
    if (isNew || of === undefined) {
      const wasOpen = !isReopened && (detail !== null || watch.state < FIRST_CLOSED_STATE)
      of = { place: isNew ? this.#new.length : undefined, wasOpen, alarm, watch, steps: 0 }
      this.#newest.set(key, of)
      if (isNew) this.#new.push(of)
      else this.#known.push(of)
    }
    of.watch = watch
    if (detail === null) return
    of.alarm = alarm
    const step = of.steps++
    this.#told.push({ of, step, isLate })
    const { sponsor, alarmCode, alarmState, currentLevel, content, time } = detail
    const said = [sponsor, alarmCode, alarmState, currentLevel, content, time]
    if (of.place === undefined) addRow(this.#stepsOfKnown, [...said, ...keyOf(alarm)])
    else addRow(this.#stepsOfNew, [of.place, step, ...said])
  }

  /** What is run for all changes, after the guards of the write. */
  statements(): Statement[] {
    if (this.#newest.size === 0) return []
    const { at, writer } = this.#writes
    const [, ...ofNew] = this.#stepsOfNew
    return [
      {
        sql: `update alarm_state set version = ?, writer = ?`,
        width: 2,
        values: [at.version + 1, writer],
        expected: 1,
      },
      ...this.#watchesOfKnown(),
      // Alarms that end make room for those of the same source and type that begin.
      inRows(UPDATE_ALARM, this.#updates()),
      inRows(INSERT_ALARM, this.#inserts()),
      inRows(INSERT_STEP_OF_KNOWN, this.#stepsOfKnown),
      inRows(INSERT_STEP_OF_NEW, [this.#fromLast(this.#stepsOfNew[0]!), ...ofNew]),
      inRows(INSERT_NOTICE, this.#notices()),
      inRows(PUT_WATCH_OF_NEW, this.#watchesOfNew()),
    ].filter(({ values, columns: many }) => values.length > 0 || (many?.[0]?.length ?? 0) > 0)
  }

  #updates(): Columns {
    const rows = columns(10)
    const version = this.#writes.at.version + 1
    for (const { alarm, steps } of this.#known)
      if (steps > 0) addRow(rows, [...changing(alarm), version, ...keyOf(alarm)])
    return rows
  }

  #inserts(): Columns {
    const rows = columns(13)
    const version = this.#writes.at.version + 1
    for (const { alarm } of this.#new)
      addRow(rows, [
        alarm.structure,
        alarm.source.id,
        alarm.sourceType,
        alarm.category,
        alarm.alarmTypeCode,
        ...changing(alarm),
        version,
      ])
    return rows
  }

  #notices(): Columns {
    const rows = columns(7)
    const last = this.#new.length - 1
    for (const { of, step, isLate } of this.#told)
      addRow(rows, [
        of.place === undefined ? null : last - of.place,
        ...keyOf(of.alarm),
        of.place === undefined ? null : step,
        of.steps - 1 - step,
        isLate ? 1 : 0,
        this.#writes.now,
      ])
    return rows
  }

  #watchesOfKnown(): Statement[] {
    const [open, ended] = [columns(6), columns(4)]
    const version = this.#writes.at.version + 1
    for (const { wasOpen, alarm, watch } of this.#known) {
      const text = JSON.stringify(watch)
      const key = keyOf(alarm)
      if (wasOpen) addRow(open, [...key, ...key, text, version])
      else addRow(ended, [text, version, ...key])
    }
    return [inRows(PUT_WATCH_OF_OPEN, open), inRows(UPDATE_WATCH, ended)]
  }

  #watchesOfNew(): Columns {
    const rows = columns(5)
    const version = this.#writes.at.version + 1
    const last = this.#new.length - 1
    for (const { place, alarm, watch } of this.#newest.values())
      if (place !== undefined)
        addRow(rows, [...keyOf(alarm), last - place, JSON.stringify(watch), version])
    return rows
  }

  #fromLast(places: readonly unknown[]): unknown[] {
    const last = this.#new.length - 1
    return places.map((place) => last - (place as number))
  }
}

const columns = (width: number): Columns => Array.from({ length: width }, () => [])

function addRow(rows: Columns, values: readonly unknown[]): void {
  for (let at = 0; at < values.length; at++) rows[at]!.push(values[at])
}

/** States 0 to 2 of an alarm are open. */
const FIRST_CLOSED_STATE = 3

/** Run for each row, and each time one row has to change. */
const inRows = (sql: string, rows: Columns): Statement => ({
  sql,
  width: rows.length,
  values: [],
  columns: rows,
  expected: rows[0]!.length,
})

const keyOf = ({ source, alarmTypeCode }: Key): [string, string] => [source.id, alarmTypeCode]

/** In the order of their columns in `INSERT_ALARM` and `UPDATE_ALARM`. */
const changing = (alarm: AlarmChange['alarm']): unknown[] => [
  alarm.source.name,
  alarm.level,
  alarm.content,
  alarm.count,
  alarm.state,
  alarm.startTime,
  alarm.endTime,
]

const WATCHED = `(select alarm_id from alarm_watches where source_id = ? and type_code = ?)`

/** Those that this write has made are the last ones, one number after the other. */
const MADE = `((select max(id) from alarms) - ?)`

const UPDATE_ALARM = `update alarms set source_name = ?, level = ?, content = ?, count = ?, state = ?,
    start_time = ?, end_time = ?, version = ?
  where id = ${WATCHED}`

const INSERT_ALARM = `insert into alarms (structure_id, source_id, source_type, category, type_code,
    source_name, level, content, count, state, start_time, end_time, version)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const INSERT_STEP_OF_KNOWN = `insert into alarm_details
    (alarm_id, step, sponsor, alarm_code, alarm_state, current_level, content, time)
  select alarm_id, coalesce((select max(step) + 1 from alarm_details
      where alarm_details.alarm_id = alarm_watches.alarm_id), 0), ?, ?, ?, ?, ?, ?
    from alarm_watches where source_id = ? and type_code = ?`

const INSERT_STEP_OF_NEW = `insert into alarm_details
    (alarm_id, step, sponsor, alarm_code, alarm_state, current_level, content, time)
  values (${MADE}, ?, ?, ?, ?, ?, ?, ?)`

const INSERT_NOTICE = `insert into alarm_notices (alarm_id, step, is_late, created_at)
  select told.alarm_id, coalesce(told.step, (select max(step) from alarm_details
      where alarm_details.alarm_id = told.alarm_id) - told.further), told.is_late, told.created_at
    from (select coalesce(${MADE}, ${WATCHED}) as alarm_id, ? as step, ? as further,
      ? as is_late, ? as created_at) as told`

const UPDATE_WATCH = `update alarm_watches set watch = ?, version = ? where source_id = ? and type_code = ?`

const putWatch = (alarm: string): string => `insert into alarm_watches
    (source_id, type_code, alarm_id, watch, version) values (?, ?, ${alarm}, ?, ?)
  on conflict (source_id, type_code) do update
  set alarm_id = excluded.alarm_id, watch = excluded.watch, version = excluded.version`

const PUT_WATCH_OF_OPEN = putWatch(
  `(select id from alarms where source_id = ? and type_code = ? and state < 3)`,
)

const PUT_WATCH_OF_NEW = putWatch(MADE)
