import { sql } from 'kysely'
import type { SqlEngine } from './engine.ts'
import type { Statement } from './statement.ts'
import type { Tables } from './tables.ts'
import { joinContent, splitContent } from '../../domain/alarms/content-template.ts'
import { zone } from '../../domain/time/local-time.ts'
import type { StoredAlarm } from '../stores/alarms.ts'

/** The ids of the texts that alarms refer to. */
export const SOURCE_NAME_ID = `(select id from alarm_source_names where name = ?)`
export const TEMPLATE_ID = `(select id from alarm_templates where template = ?)`

/** The columns of `alarms`, and the texts that a row refers to. */
export const ALARM_COLUMNS = [
  'alarms.structure_id',
  'alarms.source_id',
  'alarms.source_name_id',
  sql<string>`(select name from alarm_source_names where id = alarms.source_name_id)`.as(
    'source_name',
  ),
  'alarms.source_type',
  'alarms.category',
  'alarms.type_code',
  'alarms.level',
  'alarms.template_id',
  sql<string>`(select template from alarm_templates where id = alarms.template_id)`.as('template'),
  'alarms.numbers',
  'alarms.count',
  'alarms.state',
  'alarms.start_time',
  'alarms.end_time',
] as const

/** A row of `ALARM_COLUMNS` and its id. */
export type AlarmRow = Omit<Tables['alarms'], 'id'> & {
  id: number
  source_name: string
  template: string
}

/** Throws a `DamageError` where the texts of an alarm are not those that were written. */
export function checkTexts(row: AlarmRow, check: SqlEngine['check']): void {
  check({ table: 'alarm_source_names', from: row.source_name_id })
  check({ table: 'alarm_templates', from: row.template_id })
}

/** Statements that store the texts that alarms refer to. */
export function putTexts(
  alarms: readonly Pick<StoredAlarm, 'source' | 'content'>[],
): readonly Statement[] {
  if (alarms.length === 0) return []
  const names = alarms.map(({ source }) => source.name)
  const templates = alarms.map(({ content }) => splitContent(content).template)
  return [
    putOnce('alarm_source_names', 'name', names),
    putOnce('alarm_templates', 'template', templates),
  ]
}

const putOnce = (table: string, column: string, texts: readonly string[]): Statement => ({
  sql: `insert into ${table} (${column}, folded) values (?, ?) on conflict do nothing`,
  width: 2,
  values: Array.from(new Set(texts), (text) => [text, text.toLowerCase()]).flat(),
  set: {
    sql: `insert into ${table} (${column}, folded) select c1, c2 from @given
      where not exists (select 1 from ${table} as known where known.${column} = c1)
      order by given.at on conflict do nothing`,
    types: ['text', 'text'],
  },
})

export const toAlarm = (row: AlarmRow): StoredAlarm => ({
  id: row.id,
  structure: row.structure_id,
  source: { id: row.source_id, name: row.source_name },
  sourceType: row.source_type,
  category: row.category,
  alarmTypeCode: row.type_code,
  level: row.level,
  content: joinContent(row),
  count: row.count,
  state: row.state,
  startTime: UTC.toLocal(row.start_time * 1000),
  endTime: UTC.toLocal(row.end_time * 1000),
})

const UTC = zone('UTC')

/** A local date-time string in seconds since 1970, as if the clock of the structure stood in UTC. */
export function toSeconds(local: string): number {
  const instant = UTC.toInstant(local)
  if (instant === undefined)
    throw new Error(`The time of an alarm must be YYYY-MM-DD HH:mm:ss, not "${local}".`)
  return instant / 1000
}
