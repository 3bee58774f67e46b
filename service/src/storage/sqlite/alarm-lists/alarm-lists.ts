import { compareKeys, ORDERS, type AlarmKey } from './alarm-order.ts'
import { ClosedAlarms } from './closed-alarms.ts'
import { allOfNarrowed, narrowAlarms, type NarrowedAlarms } from './narrowed-alarms.ts'
import { ALARM_COLUMNS, checkTexts, toAlarm, type AlarmRow } from '../../sql/alarm-rows.ts'
import type { SqlEngine } from '../../sql/engine.ts'
import type { Reader } from '../connection/reader.ts'
import type { AlarmPage, AlarmQuery, AlarmStore, StoredAlarm } from '../../storage.ts'

/**
 * Lists of alarms. The open ones are few: all that match are read and sorted. Pages of the closed
 * ones are read along an index, and both are merged.
 */
export function alarmLists(
  reader: Reader,
  { build, check }: Pick<SqlEngine, 'build' | 'check'>,
): Pick<AlarmStore, 'count' | 'list'> {
  const closed = new ClosedAlarms(reader)

  return {
    async count(scope, status) {
      const narrowed = narrowAlarms(reader, { scope })
      return status === 'new' ? countOpen(narrowed) : closed.countGroups(narrowed).chosen
    },

    list: async (query) => reader.snapshot(() => list(query)),
  }

  function list(query: AlarmQuery): { count: number; alarms: StoredAlarm[] } {
    const { status, orderBy, orderDirection, limit, offset } = query
    const narrowed = narrowAlarms(reader, query)
    const open = status === 'history' ? [] : openKeys(narrowed, query)
    // Of the closed alarms before the page, as many may stand on it as there are open ones.
    const first = Math.max(0, offset - open.length)
    const page = { orderBy, orderDirection, offset: first, limit: offset + limit - first }
    const { count, keys } = status === 'new' ? { count: 0, keys: [] } : closed.page(narrowed, page)
    const merged = [...open, ...keys].toSorted(compareKeys(orderDirection))
    const ids = merged.slice(offset - first, offset - first + limit).map(([, id]) => id)
    return { count: open.length + count, alarms: read(ids) }
  }

  function countOpen({ byGroup }: NarrowedAlarms): number {
    const { sql, values } = byGroup('alarms')
    const [open] = reader.all<{ count: number }>({
      sql: `select count(*) as count from ${OPEN} and ${sql}`,
      parameters: values,
    })
    return open?.count ?? 0
  }

  function openKeys(narrowed: NarrowedAlarms, { orderBy }: AlarmPage): AlarmKey[] {
    const { sql, values } = allOfNarrowed(narrowed, narrowed.byGroup('alarms'))
    const rows = reader.all<{ value: number; id: number }>({
      sql: `select ${ORDERS[orderBy].column} as value, id from ${OPEN} and ${sql}`,
      parameters: values,
    })
    return rows.map(({ value, id }) => [value, id])
  }

  function read(ids: readonly number[]): StoredAlarm[] {
    for (const id of ids) check({ table: 'alarms', from: id })
    const query = build
      .selectFrom('alarms')
      .select('alarms.id')
      .select(ALARM_COLUMNS)
      .where('id', 'in', ids)
    const rows = reader.all<AlarmRow>(query.compile())
    for (const row of rows) checkTexts(row, check)
    const byId = new Map(rows.map((row) => [row.id, toAlarm(row)]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }
}

const OPEN = 'alarms indexed by alarms_open where alarms.state < 3'
