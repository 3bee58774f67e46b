import type { Statement } from './statement.ts'
import type { AlarmUpdate } from '../stores/alarms.ts'

/** Guards that the evaluated records are still early and have the same text. */
export const earlyGuards = ({ due = [] }: AlarmUpdate): Statement[] =>
  due.length === 0
    ? []
    : [
        {
          sql: `select 1 from early_records as early where source = ? and time = ?
            and (select record from theme_records as open
              where open.source = early.source and open.time = early.time) is not distinct from ?`,
          width: 3,
          values: due.flatMap(({ station, time, record }) => [station, time, record]),
          guards: 'records',
        },
      ]

/** Statements that add early records, and delete those that have been evaluated. */
export function earlyStatements({ early = [], due = [] }: AlarmUpdate): Statement[] {
  const statements: Statement[] = []
  if (due.length > 0)
    statements.push({
      sql: `delete from early_records where source = ? and time = ?`,
      width: 2,
      values: due.flatMap(({ station, time }) => [station, time]),
    })
  if (early.length > 0)
    statements.push({
      sql: `insert into early_records (source, time, is_notified) values (?, ?, ?)
        on conflict (source, time) do update set is_notified = excluded.is_notified`,
      width: 3,
      rowKey: ['source', 'time'],
      values: early.flatMap(({ station, time, isNotified }) => [station, time, isNotified ? 1 : 0]),
    })
  return statements
}

/** Runs for a record that replaces another one: it is evaluated now and no longer early. */
export const DELETE_EARLY = `delete from early_records where source = ? and time = ? and cast(? as text) is not null`
