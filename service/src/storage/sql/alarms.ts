import { sql, type ExpressionBuilder, type SelectQueryBuilder } from 'kysely'
import type { AlarmDetail, AlarmOrder, AlarmStatus } from '@plumbline/contract'
import { alarmGuards, alarmStatements, searchText } from './alarm-writes.ts'
import { statement, type SqlEngine } from './engine.ts'
import type { Tables } from './tables.ts'
import type { AlarmWatch } from '../../domain/alarms/alarm-life.ts'
import type { AlarmQuery, AlarmStore, Scope, StoredAlarm } from '../storage.ts'

/** States 0 to 2 are `new`, 3 and 4 are `history`. */
const FIRST_CLOSED_STATE = 3

const ORDER_COLUMNS = {
  level: 'level',
  count: 'count',
  startTime: 'start_time',
  endTime: 'end_time',
} as const satisfies Record<AlarmOrder, keyof Tables['alarms']>

type Alarms<Row> = SelectQueryBuilder<Tables, 'alarms', Row>

export function alarmStore({ build, all, write }: SqlEngine): AlarmStore {
  const counted = build
    .selectFrom('alarms')
    .select((alarms) => alarms.fn.countAll<number>().as('count'))

  const firstCount = async (query: Alarms<{ count: number }>): Promise<number> => {
    const [row] = await all<{ count: number | string }>(query.compile())
    return Number(row?.count ?? 0)
  }

  return {
    count: (scope, status) => firstCount(counted.where(inScope(scope)).where(hasStatus(status))),

    async list(query) {
      const column = ORDER_COLUMNS[query.orderBy]
      const page = build
        .selectFrom('alarms')
        .selectAll()
        .where(matches(query))
        .orderBy(column, query.orderDirection)
        .orderBy('id', query.orderDirection)
        .limit(query.limit)
        .offset(query.offset)
      const rows = await all<AlarmRow>(page.compile())
      return { count: await firstCount(counted.where(matches(query))), alarms: rows.map(toAlarm) }
    },

    async findStructure(id) {
      const query = build.selectFrom('alarms').select('structure_id as structure')
      const [row] = await all<{ structure: number }>(query.where('id', '=', id).compile())
      return row?.structure
    },

    async listDetails(id) {
      const query = build
        .selectFrom('alarm_details')
        .select(['sponsor', 'alarm_code as alarmCode', 'alarm_state as alarmState'])
        .select(['current_level as currentLevel', 'content', 'time'])
        .where('alarm_id', '=', id)
        .orderBy('step')
      return all<AlarmDetail>(query.compile())
    },

    async find(id) {
      const query = build.selectFrom('alarms').selectAll().where('id', '=', id)
      const [row] = await all<AlarmRow>(query.compile())
      return row && toAlarm(row)
    },

    async findOpen(source, typeCode) {
      const query = build
        .selectFrom('alarms')
        .selectAll()
        .where('source_id', '=', source)
        .where('type_code', '=', typeCode)
        .where(hasStatus('new'))
      const [row] = await all<AlarmRow>(query.compile())
      return row && toAlarm(row)
    },

    async loadWatches(since) {
      // One statement, so that watches and version are of one moment.
      const query = build
        .selectFrom('alarm_state')
        .leftJoin('alarm_watches', (join) => join.on('alarm_watches.version', '>', since))
        .select(['alarm_state.version', 'writer', 'source_id', 'type_code', 'alarm_id', 'watch'])
      const rows = await all<WatchRow>(query.compile())
      const { version, writer } = rows[0]!
      const watches = rows.flatMap(({ source_id: source, ...row }) =>
        source === null
          ? []
          : [
              {
                source,
                typeCode: row.type_code,
                alarmId: row.alarm_id,
                watch: JSON.parse(row.watch) as AlarmWatch,
              },
            ],
      )
      return { at: { version, writer }, watches }
    },

    async write(alarms) {
      await write([...alarmGuards(alarms), ...alarmStatements(alarms)])
    },

    async put(alarms) {
      await write(
        alarms.flatMap((alarm) => {
          const removal = build.deleteFrom('alarms').where('id', '=', alarm.id)
          const insert = build.insertInto('alarms').values(toRow(alarm))
          const steps = alarm.details.map((detail, step) =>
            build.insertInto('alarm_details').values(toStep(alarm.id, step, detail)),
          )
          return [removal, insert, ...steps].map((query) => statement(query.compile()))
        }),
      )
    },
  }
}

type Alarm = ExpressionBuilder<Tables, 'alarms'>

const inScope = (scope: Scope) => (alarm: Alarm) =>
  scope === 'all' ? alarm.and([]) : isOneOf(alarm, 'structure_id', scope)

const hasStatus = (status: AlarmStatus) => (alarm: Alarm) =>
  alarm('state', status === 'new' ? '<' : '>=', FIRST_CLOSED_STATE)

const matches = (query: AlarmQuery) => (alarm: Alarm) => {
  const { status, levels, categories, startTime, endTime, keywords } = query
  return alarm.and([
    inScope(query.scope)(alarm),
    ...(status === undefined ? [] : [hasStatus(status)(alarm)]),
    ...(levels === undefined ? [] : [isOneOf(alarm, 'level', levels)]),
    ...(categories === undefined ? [] : [isOneOf(alarm, 'category', categories)]),
    ...(startTime === undefined ? [] : [alarm('end_time', '>=', startTime)]),
    ...(endTime === undefined ? [] : [alarm('start_time', '<=', endTime)]),
    ...(keywords === undefined ? [] : [contains(alarm, keywords)]),
  ])
}

/** Nothing is one of an empty list; `in ()` is not SQL everywhere. */
const isOneOf = (
  alarm: Alarm,
  column: 'structure_id' | 'level' | 'category',
  values: readonly number[],
) => (values.length === 0 ? alarm.or([]) : alarm(column, 'in', values))

/**
 * A plain search of any length: what holds the text is changed by taking it out. `like` knows
 * patterns, and SQLite only short ones. Case is folded here, alike for every engine.
 */
const contains = (alarm: Alarm, keywords: string) =>
  alarm.and([sql<boolean>`replace(search_text, ${keywords.toLowerCase()}, '') <> search_text`])

type WatchRow = {
  version: number
  writer: number
  source_id: string | null
  type_code: string
  alarm_id: number
  watch: string
}

export type AlarmRow = Omit<Tables['alarms'], 'id'> & { id: number }

const toRow = (alarm: StoredAlarm): AlarmRow => ({
  id: alarm.id,
  structure_id: alarm.structure,
  source_id: alarm.source.id,
  source_name: alarm.source.name,
  source_type: alarm.sourceType,
  category: alarm.category,
  type_code: alarm.alarmTypeCode,
  level: alarm.level,
  content: alarm.content,
  count: alarm.count,
  state: alarm.state,
  start_time: alarm.startTime,
  end_time: alarm.endTime,
  search_text: searchText(alarm),
})

export const toAlarm = (row: Omit<AlarmRow, 'search_text'>): StoredAlarm => ({
  id: row.id,
  structure: row.structure_id,
  source: { id: row.source_id, name: row.source_name },
  sourceType: row.source_type,
  category: row.category,
  alarmTypeCode: row.type_code,
  level: row.level,
  content: row.content,
  count: row.count,
  state: row.state,
  startTime: row.start_time,
  endTime: row.end_time,
})

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
