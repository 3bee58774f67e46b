import type { AlarmOrder, AlarmStatus, OrderDirection } from '@plumbline/client'

export type Filters = {
  /** Undefined: open and closed ones. */
  status: AlarmStatus | undefined
  levels: number[]
  types: number[]
  structures: number[]
  /** As the browser's field writes it, `2026-11-25T08:00`; local times of each structure. */
  from: string
  to: string
  keywords: string
  orderBy: AlarmOrder
  orderDirection: OrderDirection
  /** From 1. */
  page: number
}

export type Query = Record<string, string | undefined>

export const PAGE_SIZE = 50
export const TYPES = [1, 2, 3, 4, 5] as const
export const LEVELS = [1, 2, 3, 4, 5] as const

const ORDERS: ReadonlySet<string> = new Set(['level', 'count', 'startTime', 'endTime'])
const FIELD_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/

/**
 * Reads the filters from an address; what it does not understand is no filter. Open alarms by default, the
 * most severe first; with closed ones the newest first.
 */
export function readFilters(query: Readonly<Query>): Filters {
  const { from = '', to = '' } = query
  const status =
    query['status'] === 'all' ? undefined : query['status'] === 'history' ? 'history' : 'new'
  const usual = status === 'new' ? 'level asc' : 'endTime desc'
  const sort = ORDERS.has(query['sort']?.split(' ')[0] ?? '') ? query['sort']! : usual
  const [orderBy, direction] = sort.split(' ')
  return {
    status,
    levels: readNumbers(query['levels']),
    types: readNumbers(query['types']),
    structures: readNumbers(query['structures']),
    from: FIELD_TIME.test(from) ? from : '',
    to: FIELD_TIME.test(to) ? to : '',
    keywords: query['keywords'] ?? '',
    orderBy: orderBy as AlarmOrder,
    orderDirection: direction === 'desc' ? 'desc' : 'asc',
    page: Math.max(1, Math.trunc(Number(query['page'])) || 1),
  }
}

/** What `searchAlarms` takes. */
export const toSearch = (filters: Filters) => ({
  limit: PAGE_SIZE,
  offset: (filters.page - 1) * PAGE_SIZE,
  orderBy: filters.orderBy,
  orderDirection: filters.orderDirection,
  ...(filters.status !== undefined && { status: filters.status }),
  ...(filters.levels.length > 0 && { levels: filters.levels }),
  ...(filters.types.length > 0 && { types: filters.types }),
  ...(filters.structures.length > 0 && { structures: filters.structures }),
  ...(filters.from !== '' && { startTime: `${filters.from.replace('T', ' ')}:00` }),
  ...(filters.to !== '' &&
    !isBackwards(filters) && { endTime: `${filters.to.replace('T', ' ')}:59` }),
  ...(filters.keywords.trim() !== '' && { keywords: filters.keywords.trim() }),
})

/** An end before the start is said beside its field, and not asked for. */
export const isBackwards = ({ from, to }: Pick<Filters, 'from' | 'to'>): boolean =>
  from !== '' && to !== '' && from > to

/** Whether anything but the status is filtered. */
export const isFiltered = ({ levels, types, structures, from, to, keywords }: Filters): boolean =>
  levels.length + types.length + structures.length > 0 || from + to + keywords !== ''

export const NO_FILTERS: Query = {
  levels: undefined,
  types: undefined,
  structures: undefined,
  from: undefined,
  to: undefined,
  keywords: undefined,
  page: undefined,
}

/** The list of an address with one number more, or less. */
export const toggle = (numbers: readonly number[], one: number): string =>
  (numbers.includes(one) ? numbers.filter((other) => other !== one) : [...numbers, one])
    .toSorted((a, b) => a - b)
    .join(',')

const readNumbers = (text = ''): number[] =>
  text
    .split(',')
    .filter((part) => /^\d{1,9}$/.test(part))
    .map(Number)
