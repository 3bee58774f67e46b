import { compareKeys, ORDERS, type AlarmKey } from './alarm-order.ts'
import { ClosedAlarms } from './closed-alarms.ts'
import { allConditions, alarmConditions, type AlarmConditions } from './alarm-conditions.ts'
import { ALARM_COLUMNS, checkTexts, toAlarm } from '../../sql/alarm-rows.ts'
import type { SqlEngine } from '../../sql/engine.ts'
import type { Reader } from '../connection/reader.ts'
import type { AlarmPage, AlarmQuery, AlarmStore, StoredAlarm } from '../../stores/alarms.ts'

/**
 * Lists and counts alarms. Open alarms are few: all that match are read and sorted. Pages of closed
 * alarms are read along an index, and both are merged.
 */
export function alarmLists(
  reader: Reader,
  { build, check }: Pick<SqlEngine, 'build' | 'check'>,
): Pick<AlarmStore, 'count' | 'countOpen' | 'list'> {
  const closed = new ClosedAlarms(reader)

  return {
    async count(scope, status) {
      const conditions = alarmConditions(reader, { scope })
      return status === 'new' ? countOpen(conditions) : closed.countGroups(conditions).chosen
    },

    countOpen: async (most) =>
      reader
        .rows<[level: number, count: number]>(
          `select level, count(*) from (select level from ${OPEN} limit ?) group by level`,
          most,
        )
        .map(([level, count]) => ({ level, count })),

    list: async (query) => reader.snapshot(() => list(query)),
  }

  function list(query: AlarmQuery): { count: number; alarms: StoredAlarm[] } {
    const { status, orderBy, orderDirection, limit, offset } = query
    const conditions = alarmConditions(reader, query)
    const open = status === 'history' ? [] : openKeys(conditions, query)
    // The page can begin as many closed alarms earlier as there are open ones.
    const first = Math.max(0, offset - open.length)
    const page = { orderBy, orderDirection, offset: first, limit: offset + limit - first }
    const { count, keys } =
      status === 'new' ? { count: 0, keys: [] } : closed.page(conditions, page)
    const merged = [...open, ...keys].toSorted(compareKeys(orderDirection))
    const ids = merged.slice(offset - first, offset - first + limit).map(([, id]) => id)
    return { count: open.length + count, alarms: read(ids) }
  }

  function countOpen({ byGroup }: AlarmConditions): number {
    const { sql, values } = byGroup('alarms')
    const [count = 0] =
      reader.row<[count: number]>(`select count(*) from ${OPEN} and ${sql}`, ...values) ?? []
    return count
  }

  function openKeys(conditions: AlarmConditions, { orderBy }: AlarmPage): AlarmKey[] {
    const { sql, values } = allConditions(conditions, conditions.byGroup('alarms'))
    return reader.rows<AlarmKey>(
      `select ${ORDERS[orderBy].column}, id from ${OPEN} and ${sql}`,
      ...values,
    )
  }

  function read(ids: readonly number[]): StoredAlarm[] {
    for (const id of ids) check({ table: 'alarms', from: id })
    const query = build
      .selectFrom('alarms')
      .select('alarms.id')
      .select(ALARM_COLUMNS)
      .where('id', 'in', ids)
    const rows = reader.all(query.compile())
    for (const row of rows) checkTexts(row, check)
    const byId = new Map(rows.map((row) => [row.id, toAlarm(row)]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }
}

const OPEN = 'alarms indexed by alarms_open where alarms.state < 3'
