import { ORDERS, type AlarmKey } from './alarm-order.ts'
import { allOf, type Condition } from './conditions.ts'
import { allOfNarrowed, type NarrowedAlarms } from './narrowed-alarms.ts'
import type { Reader } from '../connection/reader.ts'
import type { AlarmPage } from '../../storage.ts'

/** Up to this share of all alarms it takes less to look at each and sort them than to go along an order. */
const FEW = 1 / 10

const OF_GROUPS = `alarm_counts cross join alarms indexed by alarms_by_group
  on alarms.structure_id = alarm_counts.structure_id and alarms.level = alarm_counts.level
    and alarms.category = alarm_counts.category`

type GroupCounts = { chosen: number; all: number }

/** Alarms of the states 3 and 4: how many there are, and pages of them. */
export class ClosedAlarms {
  readonly #reader: Reader

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** How many are in the groups of a filter, and in all groups. */
  countGroups({ byGroup }: Pick<NarrowedAlarms, 'byGroup'>): GroupCounts {
    const { sql, values } = byGroup('alarm_counts')
    const [counts] = this.#reader.all<GroupCounts>({
      sql: `select total(closed) filter (where ${sql}) as chosen, total(closed) as "all"
        from alarm_counts`,
      parameters: values,
    })
    return counts ?? { chosen: 0, all: 0 }
  }

  page(narrowed: NarrowedAlarms, page: AlarmPage): { count: number; keys: AlarmKey[] } {
    const { chosen, all } = this.countGroups(narrowed)
    if (chosen === 0) return { count: 0, keys: [] }
    const { byGroup, window, keyword } = narrowed
    const isCounted = window === undefined && keyword === undefined
    if (chosen <= all * FEW) {
      const where = allOfNarrowed(narrowed, byGroup('alarm_counts'))
      const count = isCounted ? chosen : this.#count(OF_GROUPS, where)
      return { count, keys: fromNearerEnd(count, page, (one) => this.#keys(OF_GROUPS, where, one)) }
    }
    const where = allOfNarrowed(narrowed, chosen === all ? undefined : byGroup('alarms'))
    const ordered = `alarms indexed by ${ORDERS[page.orderBy].index}`
    const read = (one: AlarmPage): AlarmKey[] => this.#keys(ordered, where, one)
    if (isCounted) return { count: chosen, keys: fromNearerEnd(chosen, page, read) }

    const { limit, offset } = page
    const keys = offset < chosen ? read(page) : []
    const last = keys.at(-1)
    if (last === undefined) return { count: offset === 0 ? 0 : this.#count(ordered, where), keys }
    // Once along the order: what comes after the page is only counted.
    const after = keys.length < limit ? 0 : this.#count(ordered, allOf(behind(page, last), where))
    return { count: offset + keys.length + after, keys }
  }

  #count(from: string, { sql, values }: Condition): number {
    const [found] = this.#reader.all<{ count: number }>({
      sql: `select count(*) as count from ${from} where alarms.state >= 3 and ${sql}`,
      parameters: values,
    })
    return found?.count ?? 0
  }

  #keys(from: string, { sql, values }: Condition, page: AlarmPage): AlarmKey[] {
    const { orderBy, orderDirection, limit, offset } = page
    const column = `alarms.${ORDERS[orderBy].column}`
    const rows = this.#reader.all<{ value: number; id: number }>({
      sql: `select ${column} as value, alarms.id from ${from} where alarms.state >= 3 and ${sql}
        order by ${column} ${orderDirection}, alarms.id ${orderDirection} limit ? offset ?`,
      parameters: [...values, limit, offset],
    })
    return rows.map(({ value, id }) => [value, id])
  }
}

/** Beyond the middle of all that match, a page is read backwards from the end. */
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

function behind({ orderBy, orderDirection }: AlarmPage, last: AlarmKey): Condition {
  const comparison = orderDirection === 'asc' ? '>' : '<'
  return {
    sql: `(alarms.${ORDERS[orderBy].column}, alarms.id) ${comparison} (?, ?)`,
    values: last,
  }
}
