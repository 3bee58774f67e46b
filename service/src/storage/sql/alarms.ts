import { sql } from 'kysely'
import { alarmGuards, alarmStatements } from './alarm-writes.ts'
import { ALARM_COLUMNS, checkTexts, toAlarm } from './alarm-rows.ts'
import type { SqlEngine } from './engine.ts'
import { selectStates, toStates } from './alarm-states.ts'
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

    async listOpenLevels() {
      const query = build
        .selectFrom('alarms')
        .select(['structure_id as structure', 'source_id as source'])
        .select(['type_code as typeCode', 'level'])
        .where(IS_OPEN)
      return all(query.compile())
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
      const statements = [
        ...alarmGuards(alarms, dialect),
        ...(await alarmStatements(alarms, dialect)),
      ]
      if (statements.length > 0) await write(statements)
    },
  }
}

/** More sources than these are read by several queries. */
const SOURCES_AT_ONCE = 100

/** The condition of the index of open alarms. */
const IS_OPEN = sql<boolean>`state < 3`
