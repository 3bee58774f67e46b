import { ORDERS, type AlarmKey } from './alarm-order.ts'
import { allOf, type Condition } from './conditions.ts'
import { allConditions, type AlarmConditions } from './alarm-conditions.ts'
import type { Reader } from '../connection/reader.ts'
import type { AlarmPage } from '../../stores/alarms.ts'

/** Up to this share of all alarms, reading and sorting the matching groups is faster than an index. */
const FEW = 1 / 10

const GROUPS = `alarm_counts cross join alarms indexed by alarms_by_group
  on alarms.structure_id = alarm_counts.structure_id and alarms.level = alarm_counts.level
    and alarms.category = alarm_counts.category`

type GroupCounts = { chosen: number; all: number }

/** Counts and pages of closed alarms, which have the states 3 and 4. */
export class ClosedAlarms {
  readonly #reader: Reader

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Counts the closed alarms in the groups of a filter, and in all groups. */
  countGroups({ byGroup }: Pick<AlarmConditions, 'byGroup'>): GroupCounts {
    const { sql, values } = byGroup('alarm_counts')
    const [chosen = 0, all = 0] =
      this.#reader.row<[chosen: number, all: number]>(
        `select total(closed) filter (where ${sql}), total(closed) from alarm_counts`,
        ...values,
      ) ?? []
    return { chosen, all }
  }

  page(conditions: AlarmConditions, page: AlarmPage): { count: number; keys: AlarmKey[] } {
    const { chosen, all } = this.countGroups(conditions)
    if (chosen === 0) return { count: 0, keys: [] }
    const { byGroup, window, keyword } = conditions
    const isCounted = window === undefined && keyword === undefined
    if (chosen <= all * FEW) {
      const where = allConditions(conditions, byGroup('alarm_counts'))
      const count = isCounted ? chosen : this.#count(GROUPS, where)
      return { count, keys: fromNearerEnd(count, page, (one) => this.#keys(GROUPS, where, one)) }
    }
    const where = allConditions(conditions, chosen === all ? undefined : byGroup('alarms'))
    const ordered = `alarms indexed by ${ORDERS[page.orderBy].index}`
    const read = (one: AlarmPage): AlarmKey[] => this.#keys(ordered, where, one)
    if (isCounted) return { count: chosen, keys: fromNearerEnd(chosen, page, read) }

    const { limit, offset } = page
    const keys = offset < chosen ? read(page) : []
    const last = keys.at(-1)
    if (last === undefined) return { count: offset === 0 ? 0 : this.#count(ordered, where), keys }
    // The alarms after the page are counted only, so that the index is read once.
    const rest = keys.length < limit ? 0 : this.#count(ordered, allOf(after(page, last), where))
    return { count: offset + keys.length + rest, keys }
  }

  #count(from: string, { sql, values }: Condition): number {
    const [count = 0] =
      this.#reader.row<[count: number]>(
        `select count(*) from ${from} where alarms.state >= 3 and ${sql}`,
        ...values,
      ) ?? []
    return count
  }

  #keys(from: string, { sql, values }: Condition, page: AlarmPage): AlarmKey[] {
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
function fromNearerEnd(
  count: number,
  page: AlarmPage,
  read: (page: AlarmPage) => AlarmKey[],
): AlarmKey[] {
  const { offset } = page
  const limit = Math.min(page.limit, count - offset)
  if (limit <= 0) return []
  if (offset <= count - offset - limit) return read(page)
  const orderDirection = page.orderDirection === 'asc' ? 'desc' : 'asc'
  const mirrored = { ...page, orderDirection, limit, offset: count - offset - limit } as const
  return read(mirrored).toReversed()
}

function after({ orderBy, orderDirection }: AlarmPage, last: AlarmKey): Condition {
  const comparison = orderDirection === 'asc' ? '>' : '<'
  return {
    sql: `(alarms.${ORDERS[orderBy].column}, alarms.id) ${comparison} (?, ?)`,
    values: last,
  }
}
