import { ORDERS, type AlarmKey } from './alarm-order.ts'
import { allOf } from './conditions.ts'
import type { Condition, Dialect } from '../dialect.ts'
import { allConditions, type AlarmConditions } from './alarm-conditions.ts'
import type { SqlReader } from '../engine.ts'
import type { AlarmPage } from '../../stores/alarms.ts'

/** Up to this share of all alarms, reading and sorting the matching groups is faster than an index. */
const FEW = 1 / 10

/** From the groups to their alarms, in this order. */
const groupsOf = ({ along }: Dialect): string =>
  `alarm_counts cross join ${along('alarms', 'alarms_by_group')}`

const IN_GROUP: Condition = {
  sql: `(alarms.structure_id = alarm_counts.structure_id and alarms.level = alarm_counts.level
    and alarms.category = alarm_counts.category)`,
  values: [],
}

type GroupCounts = { chosen: number; all: number }

/** Counts and pages of closed alarms, which have the states 3 and 4. */
export class ClosedAlarms {
  readonly #reader: SqlReader

  constructor(reader: SqlReader) {
    this.#reader = reader
  }

  /** Counts the closed alarms in the groups of a filter, and in all groups. */
  async countGroups({ byGroup }: Pick<AlarmConditions, 'byGroup'>): Promise<GroupCounts> {
    const { sql, values } = byGroup('alarm_counts')
    const [chosen = 0, all = 0] =
      (await this.#reader.row<[chosen: number, all: number]>(
        `select coalesce(sum(closed) filter (where ${sql}), 0), coalesce(sum(closed), 0)
          from alarm_counts`,
        ...values,
      )) ?? []
    return { chosen, all }
  }

  async page(
    conditions: AlarmConditions,
    page: AlarmPage,
  ): Promise<{ count: number; keys: AlarmKey[] }> {
    const { dialect } = this.#reader
    const { chosen, all } = await this.countGroups(conditions)
    if (chosen === 0) return { count: 0, keys: [] }
    const { byGroup, window, keyword } = conditions
    const isCounted = window === undefined && keyword === undefined
    if (chosen <= all * FEW) {
      const where = allOf(IN_GROUP, allConditions(conditions, byGroup('alarm_counts')))
      const groups = groupsOf(dialect)
      const count = isCounted ? chosen : await this.#count(groups, where)
      const keys = await fromNearerEnd(count, page, (one) => this.#keys(groups, where, one))
      return { count, keys }
    }
    const where = allConditions(conditions, chosen === all ? undefined : byGroup('alarms'))
    const ordered = dialect.along('alarms', ORDERS[page.orderBy].index)
    const read = (one: AlarmPage): Promise<AlarmKey[]> => this.#keys(ordered, where, one)
    if (isCounted) return { count: chosen, keys: await fromNearerEnd(chosen, page, read) }

    const { limit, offset } = page
    const keys = offset < chosen ? await read(page) : []
    const last = keys.at(-1)
    if (last === undefined)
      return { count: offset === 0 ? 0 : await this.#count(ordered, where), keys }
    // The alarms after the page are counted only, so that the index is read once.
    const rest =
      keys.length < limit ? 0 : await this.#count(ordered, allOf(after(page, last), where))
    return { count: offset + keys.length + rest, keys }
  }

  async #count(from: string, { sql, values }: Condition): Promise<number> {
    const [count = 0] =
      (await this.#reader.row<[count: number]>(
        `select count(*) from ${from} where alarms.state >= 3 and ${sql}`,
        ...values,
      )) ?? []
    return count
  }

  #keys(from: string, { sql, values }: Condition, page: AlarmPage): Promise<AlarmKey[]> {
    const { orderBy, orderDirection, limit, offset } = page
    const column = `alarms.${ORDERS[orderBy].column}`
    return this.#reader.rows<AlarmKey>(
      `select ${column}, alarms.id from ${from} where alarms.state >= 3 and ${sql}
        order by ${column} ${orderDirection}, alarms.id ${orderDirection} limit ? offset ?`,
      ...values,
      limit,
      offset,
    )
  }
}

/** Reads a page beyond the middle of all matches backwards from the end. */
async function fromNearerEnd(
  count: number,
  page: AlarmPage,
  read: (page: AlarmPage) => Promise<AlarmKey[]>,
): Promise<AlarmKey[]> {
  const { offset } = page
  const limit = Math.min(page.limit, count - offset)
  if (limit <= 0) return []
  if (offset <= count - offset - limit) return read(page)
  const orderDirection = page.orderDirection === 'asc' ? 'desc' : 'asc'
  const mirrored = { ...page, orderDirection, limit, offset: count - offset - limit } as const
  return (await read(mirrored)).toReversed()
}

function after({ orderBy, orderDirection }: AlarmPage, last: AlarmKey): Condition {
  const comparison = orderDirection === 'asc' ? '>' : '<'
  return {
    sql: `(alarms.${ORDERS[orderBy].column}, alarms.id) ${comparison} (?, ?)`,
    values: last,
  }
}
