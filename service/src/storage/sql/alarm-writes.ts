import type { Statement } from './engine.ts'
import { earlyGuards, earlyStatements } from './early.ts'
import { newestSql, newestValues } from './newest.ts'
import type { AlarmChange, AlarmWrites } from '../storage.ts'

/** What must still be so; these go before everything else of a write. */
export function alarmGuards(alarms: AlarmWrites): Statement[] {
  const { at, bounds } = alarms
  const guards: Statement[] = [
    ...earlyGuards(alarms),
    {
      sql: `select 1 from alarm_state where version = ? and writer = ?`,
      width: 2,
      values: [at.version, at.writer],
      isGuard: true,
    },
  ]
  if (bounds.length > 0)
    guards.push({
      sql: `select 1 from (select coalesce((${newestSql('theme')}), ${NEVER}) as newest)
        where newest > ? and newest <= ?`,
      width: 7,
      values: bounds.flatMap(({ station, above, upTo, horizon }) => [
        ...newestValues(station, horizon),
        Math.max(above, NEVER - 1),
        Math.max(upTo, NEVER),
      ]),
      isGuard: true,
    })
  return guards
}

/** Before every instant: the newest record of a station that has none. */
const NEVER = -Number.MAX_SAFE_INTEGER + 1

/** Changes the alarms, one after the other, and what is known of early records. */
export function alarmStatements(alarms: AlarmWrites): Statement[] {
  return [...earlyStatements(alarms), ...changesOf(alarms)]
}

function changesOf({ at, changes, writer, now }: AlarmWrites): Statement[] {
  if (changes.length === 0) return []
  const version = at.version + 1
  return [
    {
      sql: `update alarm_state set version = ?, writer = ?`,
      width: 2,
      values: [version, writer],
      expected: 1,
    },
    ...changes.flatMap((change) => changeStatements(change, version, now)),
  ]
}

/** The open alarm is found by its source and type, since its number is not known before. */
function changeStatements(change: AlarmChange, version: number, now: number): Statement[] {
  const { alarm, watch, isNew, detail, isLate, isReopened = false } = change
  const key = [alarm.source.id, alarm.alarmTypeCode]
  const statements: Statement[] = []
  const run = (sql: string, values: readonly unknown[], expected?: number): void => {
    const statement = { sql, width: values.length, values }
    statements.push(expected === undefined ? statement : { ...statement, expected })
  }

  if (isNew) run(INSERT_ALARM, [...insertValues(alarm), version], 1)
  // An ended alarm is not found by being open, also where this opens it again.
  if (isReopened || (detail === null && watch.state >= FIRST_CLOSED_STATE))
    run(SET_WATCH, [JSON.stringify(watch), version, ...key], 1)
  else run(PUT_WATCH, [...key, ...key, JSON.stringify(watch), version], 1)
  if (detail === null) return statements
  run(
    INSERT_DETAIL,
    [
      detail.sponsor,
      detail.alarmCode,
      detail.alarmState,
      detail.currentLevel,
      detail.content,
      detail.time,
      ...key,
    ],
    1,
  )
  run(INSERT_NOTICE, [isLate ? 1 : 0, now, ...key], 1)
  if (!isNew) run(UPDATE_ALARM, [...updateValues(alarm), version, ...key], 1)
  return statements
}

const WATCHED = `(select alarm_id from alarm_watches where source_id = ? and type_code = ?)`

const INSERT_ALARM = `insert into alarms (structure_id, source_id, source_name, source_type, category,
    type_code, level, content, count, state, start_time, end_time, version)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** States 0 to 2 of an alarm are open. */
const FIRST_CLOSED_STATE = 3

const SET_WATCH = `update alarm_watches set watch = ?, version = ? where source_id = ? and type_code = ?`

/** Before a step it is an open alarm, also the one that the step closes. */
const PUT_WATCH = `insert into alarm_watches (source_id, type_code, alarm_id, watch, version)
  values (?, ?, (select id from alarms where source_id = ? and type_code = ? and state < 3), ?, ?)
  on conflict (source_id, type_code) do update
  set alarm_id = excluded.alarm_id, watch = excluded.watch, version = excluded.version`

const INSERT_DETAIL = `insert into alarm_details
    (alarm_id, step, sponsor, alarm_code, alarm_state, current_level, content, time)
  select alarm_id, coalesce((select max(step) + 1 from alarm_details
      where alarm_details.alarm_id = alarm_watches.alarm_id), 0), ?, ?, ?, ?, ?, ?
    from alarm_watches where source_id = ? and type_code = ?`

const INSERT_NOTICE = `insert into alarm_notices (alarm_id, step, is_late, created_at)
  select alarm_id, (select max(step) from alarm_details
      where alarm_details.alarm_id = alarm_watches.alarm_id), ?, ?
    from alarm_watches where source_id = ? and type_code = ?`

const UPDATE_ALARM = `update alarms set source_name = ?, level = ?, content = ?, count = ?, state = ?,
    start_time = ?, end_time = ?, version = ?
  where id = ${WATCHED}`

type Alarm = AlarmChange['alarm']

const insertValues = (alarm: Alarm): unknown[] => [
  alarm.structure,
  alarm.source.id,
  alarm.source.name,
  alarm.sourceType,
  alarm.category,
  alarm.alarmTypeCode,
  alarm.level,
  alarm.content,
  alarm.count,
  alarm.state,
  alarm.startTime,
  alarm.endTime,
]

const updateValues = (alarm: Alarm): unknown[] => [
  alarm.source.name,
  alarm.level,
  alarm.content,
  alarm.count,
  alarm.state,
  alarm.startTime,
  alarm.endTime,
]
