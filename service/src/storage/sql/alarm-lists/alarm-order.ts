import type { AlarmOrder, OrderDirection } from '@plumbline/contract'
import type { Tables } from '../tables.ts'

/** The column of each order, and the index of closed alarms by it. */
export const ORDERS = {
  level: { column: 'level', index: 'alarms_by_level' },
  count: { column: 'count', index: 'alarms_by_count' },
  startTime: { column: 'start_time', index: 'alarms_by_start' },
  endTime: { column: 'end_time', index: 'alarms_by_end' },
} as const satisfies Record<AlarmOrder, { column: keyof Tables['alarms']; index: string }>

/** The value that an alarm is ordered by, and its id for ties. */
export type AlarmKey = readonly [value: number, id: number]

export const compareKeys =
  (direction: OrderDirection) =>
  (one: AlarmKey, other: AlarmKey): number => {
    const ascending = one[0] - other[0] || one[1] - other[1]
    return direction === 'asc' ? ascending : -ascending
  }
