import { sql } from 'kysely'
import type { AlarmDetail } from '@plumbline/contract'
import { alarmGuards, alarmStatements } from './alarm-writes.ts'
import { ALARM_COLUMNS, checkTexts, putTexts, toAlarm, toRow, type AlarmRow } from './alarm-rows.ts'
import { statement, type SqlEngine } from './engine.ts'
import type { Tables } from './tables.ts'
import type { AlarmState } from '../../domain/alarms/alarm-lifecycle.ts'
import type { AlarmStore } from '../storage.ts'

export function alarmStore(
  { build, all, write, check }: SqlEngine,
  lists: Pick<AlarmStore, 'count' | 'list'>,
): AlarmStore {
  return {
    ...lists,

    async findStructure(id) {
      check({ table: 'alarms', from: id })
      const query = build.selectFrom('alarms').select('structure_id as structure')
      const [row] = await all<{ structure: number }>(query.where('id', '=', id).compile())
      return row?.structure
    },

    async listDetails(id) {
      check({ table: 'alarm_details', from: id })
      const query = build
        .selectFrom('alarm_details')
        .select(['sponsor', 'alarm_code as alarmCode', 'alarm_state as alarmState'])
        .select(['current_level as currentLevel', 'content', 'time'])
        .where('alarm_id', '=', id)
        .orderBy('step')
      return all<AlarmDetail>(query.compile())
    },

    async find(id) {
      const query = build
        .selectFrom('alarms')
        .select('alarms.id')
        .select(ALARM_COLUMNS)
        .where('id', '=', id)
      const [row] = await all<AlarmRow>(query.compile())
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
        // As it stands in the index of open alarms.
        .where(sql<boolean>`state < 3`)
      const [row] = await all<AlarmRow>(query.compile())
      return row && toAlarm(row)
    },

    async isOpen(id) {
      const query = build.selectFrom('alarms').select('state').where('id', '=', id)
      const [row] = await all<{ state: number }>(query.compile())
      return row !== undefined && row.state < FIRST_CLOSED_STATE
    },

    async loadStates(since) {
      // Those of a change were written a moment ago.
      if (since < 0) check({ table: 'alarm_states' })
      // One statement, so that states and version are of one moment.
      const query = build
        .selectFrom('alarm_version')
        .leftJoin('alarm_states', (join) => join.on('alarm_states.version', '>', since))
        .select(['alarm_version.version', 'writer', 'source_id', 'type_code', 'alarm_id', 'state'])
      const rows = await all<StateRow>(query.compile())
      const { version, writer } = rows[0]!
      const states = rows.flatMap(({ source_id: source, ...row }) =>
        source === null
          ? []
          : [
              {
                source,
                typeCode: row.type_code,
                alarmId: row.alarm_id,
                state: JSON.parse(row.state) as AlarmState,
              },
            ],
      )
      return { at: { version, writer }, states }
    },

    async write(alarms) {
      await write([...alarmGuards(alarms), ...(await alarmStatements(alarms))])
    },

    async put(alarms) {
      const version = build.updateTable('alarm_version').set((row) => ({
        version: row('version', '+', 1),
        // Nobody whose next writes are on their way may take it for a version of their own.
        writer: 0,
      }))
      const puts = alarms.flatMap((alarm) => {
        const row = toRow(alarm)
        const steps = build.deleteFrom('alarm_details').where('alarm_id', '=', alarm.id)
        const put = build
          .insertInto('alarms')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        const inserts = alarm.details.map((detail, step) =>
          build.insertInto('alarm_details').values(toStep(alarm.id, step, detail)),
        )
        return [steps, put, ...inserts]
      })
      await write([
        ...putTexts(alarms),
        ...[version, ...puts].map((query) => statement(query.compile())),
      ])
    },
  }
}

/** States 0 to 2 of an alarm are open. */
const FIRST_CLOSED_STATE = 3

type StateRow = {
  version: number
  writer: number
  source_id: string | null
  type_code: string
  alarm_id: number
  state: string
}

const toStep = (alarm: number, step: number, detail: AlarmDetail): Tables['alarm_details'] => ({
  alarm_id: alarm,
  step,
  sponsor: detail.sponsor,
  alarm_code: detail.alarmCode,
  alarm_state: detail.alarmState,
  current_level: detail.currentLevel,
  content: detail.content,
  time: detail.time,
})
