import { sql } from 'kysely'
import type { AlarmDetail } from '@plumbline/contract'
import { alarmGuards, alarmStatements } from './alarm-writes.ts'
import { ALARM_COLUMNS, checkTexts, putTexts, toAlarm, toRow } from './alarm-rows.ts'
import { statement, type SqlEngine } from './engine.ts'
import { selectStates, toStates } from './alarm-states.ts'
import { raiseStoredVersions } from './alarm-versions.ts'
import type { Tables } from './tables.ts'
import type { AlarmStore, StoredAlarmStates } from '../stores/alarms.ts'

export function alarmStore(
  { build, dialect, all, first, write, check }: SqlEngine,
  lists: Pick<AlarmStore, 'count' | 'countOpen' | 'list'>,
): AlarmStore {
  let areStatesChecked = false
  return {
    ...lists,

    async findStructure(id) {
      check({ table: 'alarms', from: id })
      const query = build.selectFrom('alarms').select('structure_id as structure')
      return (await first(query.where('id', '=', id).compile()))?.structure
    },

    async listDetails(id) {
      check({ table: 'alarm_details', from: id })
      const query = build
        .selectFrom('alarm_details')
        .select(['sponsor', 'alarm_code as alarmCode', 'alarm_state as alarmState'])
        .select(['current_level as currentLevel', 'content', 'time'])
        .where('alarm_id', '=', id)
        .orderBy('step')
      return all(query.compile())
    },

    async find(id) {
      const query = build
        .selectFrom('alarms')
        .select('alarms.id')
        .select(ALARM_COLUMNS)
        .where('id', '=', id)
      const row = await first(query.compile())
      check({ table: 'alarms', from: id })
      if (row === undefined) return undefined
      checkTexts(row, check)
      return toAlarm(row)
    },

    async findOpen(source, typeCode) {
      const query = build
        .selectFrom('alarms')
        .select('alarms.id')
        .select(ALARM_COLUMNS)
        .where('source_id', '=', source)
        .where('type_code', '=', typeCode)
        .where(IS_OPEN)
      const row = await first(query.compile())
      return row && toAlarm(row)
    },

    async isOpen(id) {
      const query = build.selectFrom('alarms').select('id').where('id', '=', id).where(IS_OPEN)
      return (await first(query.compile())) !== undefined
    },

    async listOpen() {
      const query = build
        .selectFrom('alarms')
        .select(['source_id as source', 'type_code as typeCode'])
        .where(IS_OPEN)
      return all(query.compile())
    },

    async loadStates(sources) {
      // A check reads the whole table: a service that reads states as sources need them checks once.
      if (!areStatesChecked || sources === 'all') check({ table: 'alarm_states' })
      areStatesChecked = true
      if (sources === 'all') return toStates(await all(selectStates(build).compile()))
      const states: StoredAlarmStates[] = []
      for (let from = 0; from < sources.length; from += SOURCES_AT_ONCE) {
        const query = selectStates(build, sources.slice(from, from + SOURCES_AT_ONCE))
        states.push(...toStates(await all(query.compile())))
      }
      return states
    },

    async write(alarms) {
      const statements = [...alarmGuards(alarms), ...(await alarmStatements(alarms, dialect))]
      if (statements.length > 0) await write(statements)
    },

    async put(alarms) {
      const puts = alarms.flatMap((alarm) => {
        const row = toRow(alarm)
        const steps = build.deleteFrom('alarm_details').where('alarm_id', '=', alarm.id)
        const put = build
          .insertInto('alarms')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet(GIVEN))
        const inserts = alarm.details.map((detail, step) =>
          build.insertInto('alarm_details').values(toDetailRow(alarm.id, step, detail)),
        )
        return [steps, put, ...inserts]
      })
      await write([
        ...putTexts(alarms),
        raiseStoredVersions(new Set(alarms.map(({ source }) => source.id))),
        ...puts.map((query) => statement(query.compile())),
      ])
    },
  }
}

/** The columns of an alarm that replaces another one of its id. */
const GIVEN = {
  structure_id: sql<number>`excluded.structure_id`,
  source_id: sql<string>`excluded.source_id`,
  source_name_id: sql<number>`excluded.source_name_id`,
  source_type: sql<number>`excluded.source_type`,
  category: sql<number>`excluded.category`,
  type_code: sql<string>`excluded.type_code`,
  level: sql<number>`excluded.level`,
  template_id: sql<number>`excluded.template_id`,
  numbers: sql<string>`excluded.numbers`,
  count: sql<number>`excluded.count`,
  state: sql<number>`excluded.state`,
  start_time: sql<number>`excluded.start_time`,
  end_time: sql<number>`excluded.end_time`,
}

/** More sources than these are read by several queries. */
const SOURCES_AT_ONCE = 100

/** The condition of the index of open alarms. */
const IS_OPEN = sql<boolean>`state < 3`

const toDetailRow = (
  alarm: number,
  step: number,
  detail: AlarmDetail,
): Tables['alarm_details'] => ({
  alarm_id: alarm,
  step,
  sponsor: detail.sponsor,
  alarm_code: detail.alarmCode,
  alarm_state: detail.alarmState,
  current_level: detail.currentLevel,
  content: detail.content,
  time: detail.time,
})
