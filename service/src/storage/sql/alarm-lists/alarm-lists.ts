import { compareKeys, ORDERS, type AlarmKey } from './alarm-order.ts'
import { ClosedAlarms } from './closed-alarms.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import { allConditions, alarmConditions, type AlarmConditions } from './alarm-conditions.ts'
import { ALARM_COLUMNS, checkTexts, toAlarm } from '../alarm-rows.ts'
import type { SqlEngine, SqlReader } from '../engine.ts'
import type { AlarmPage, AlarmQuery, AlarmStore, StoredAlarm } from '../../stores/alarms.ts'

/**
 * Lists and counts alarms. Open alarms are few: all that match are read and sorted. Pages of closed
 * alarms are read along an index, and both are merged.
 */
export function alarmLists(engine: SqlEngine): Pick<AlarmStore, 'count' | 'countOpen' | 'list'> {
  const open = `${engine.dialect.along('alarms', 'alarms_open')} where alarms.state < 3`

  return {
    count: (scope, status) =>
      engine.snapshot(async (reader) => {
        const conditions = await alarmConditions(reader, { scope })
        if (status === 'new') return countOpen(reader, conditions)
        return (await new ClosedAlarms(reader).countGroups(conditions)).chosen
      }),

    async countOpen(most) {
      const rows = await engine.rows<[level: number, count: number]>(
        `select level, count(*) from (select level from ${open} limit ?) as found group by level
          order by level`,
        most,
      )
      return rows.map(([level, count]) => ({ level, count }))
    },

    list: (query) => engine.snapshot((reader) => list(reader, query)),
  }

  async function list(
    reader: SqlReader,
    query: AlarmQuery,
  ): Promise<{ count: number; alarms: StoredAlarm[] }> {
    const { status, orderBy, orderDirection, limit, offset } = query
    const conditions = await alarmConditions(reader, query)
    const keysOfOpen = status === 'history' ? [] : await openKeys(reader, conditions, query)
    // The page can begin as many closed alarms earlier as there are open ones.
    const first = Math.max(0, offset - keysOfOpen.length)
    const page = { orderBy, orderDirection, offset: first, limit: offset + limit - first }
    const { count, keys } =
      status === 'new'
        ? { count: 0, keys: [] }
        : await new ClosedAlarms(reader).page(conditions, page)
    const merged = [...keysOfOpen, ...keys].toSorted(compareKeys(orderDirection))
    const ids = merged.slice(offset - first, offset - first + limit).map(([, id]) => id)
    return { count: keysOfOpen.length + count, alarms: await read(reader, ids) }
  }

  async function countOpen(reader: SqlReader, { byGroup }: AlarmConditions): Promise<number> {
    const { sql, values } = byGroup('alarms')
    const [count = 0] =
      (await reader.row<[count: number]>(`select count(*) from ${open} and ${sql}`, ...values)) ??
      []
    return count
  }

  /** Compares the others too: one whose row is damaged may have matched before. */
  async function openKeys(
    reader: SqlReader,
    conditions: AlarmConditions,
    { orderBy }: AlarmPage,
  ): Promise<AlarmKey[]> {
    const { sql, values } = allConditions(conditions, conditions.byGroup('alarms'))
    const rows = await reader.rows<[...AlarmKey, state: number, matches: number]>(
      `select ${ORDERS[orderBy].column}, id, state, case when ${sql} then 1 else 0 end from ${open}`,
      ...values,
    )
    const ids = new Set(rows.map(([, id]) => id))
    if (ids.size < rows.length || rows.some(([, , state]) => state >= 3))
      throw new DamageError('the index of open alarms does not match its rows')
    reader.check({ table: 'alarms', parts: [...ids] })
    return rows.flatMap(([value, id, , matches]) => (matches === 1 ? [[value, id]] : []))
  }

  async function read(reader: SqlReader, ids: readonly number[]): Promise<StoredAlarm[]> {
    reader.check({ table: 'alarms', parts: ids })
    if (ids.length === 0) return []
    const query = engine.build
      .selectFrom('alarms')
      .select('alarms.id')
      .select(ALARM_COLUMNS)
      .where('id', 'in', ids)
    const rows = await reader.all(query.compile())
    for (const row of rows) checkTexts(row, (span) => reader.check(span))
    const byId = new Map(rows.map((row) => [row.id, toAlarm(row)]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }
}
