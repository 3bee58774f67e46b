import { sql } from 'kysely'
import type { AlarmDetail } from '@plumbline/contract'
import { alarmGuards, alarmStatements } from './alarm-writes.ts'
import { ALARM_COLUMNS, checkTexts, putTexts, toAlarm, toRow } from './alarm-rows.ts'
import { statement, type SqlEngine } from './engine.ts'
import { DamageError } from '../../errors/damage-error.ts'
import { fromJson } from './from-json.ts'
import type { Tables } from './tables.ts'
import type { AlarmState } from '../../domain/alarms/alarm-state.ts'
import type { AlarmStore } from '../stores/alarms.ts'

export function alarmStore(
  { build, all, first, write, check }: SqlEngine,
  lists: Pick<AlarmStore, 'count' | 'countOpen' | 'list'>,
): AlarmStore {
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

    async loadStates(since) {
      // States that changed since a version were written a moment ago, and need no check.
      if (since < 0) check({ table: 'alarm_states' })
      // One statement, so that states and version are of one state of the data.
      const query = build
        .selectFrom('alarm_version')
        .leftJoin('alarm_states', (join) => join.on('alarm_states.version', '>', since))
        .select(['alarm_version.version', 'writer', 'source_id', 'type_code', 'alarm_id', 'state'])
      const rows = await all(query.compile())
      const [first] = rows
      if (first === undefined) throw new DamageError('the table alarm_version has no row')
      const { version, writer } = first
      const states = rows.flatMap(({ source_id, type_code, alarm_id, state }) =>
        source_id === null || type_code === null || alarm_id === null || state === null
          ? []
          : [
              {
                source: source_id,
                typeCode: type_code,
                alarmId: alarm_id,
                state: fromJson<AlarmState>(state),
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
        // No writer: otherwise one with pending writes could take the version for its own.
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
          build.insertInto('alarm_details').values(toDetailRow(alarm.id, step, detail)),
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
