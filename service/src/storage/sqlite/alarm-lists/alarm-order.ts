import type { AlarmOrder, OrderDirection } from '@plumbline/contract'
import type { Tables } from '../../sql/tables.ts'

/** The column that an order is by, and the index of closed alarms that has it. */
export const ORDERS = {
  level: { column: 'level', index: 'alarms_by_level' },
  count: { column: 'count', index: 'alarms_by_count' },
  startTime: { column: 'start_time', index: 'alarms_by_start' },
  endTime: { column: 'end_time', index: 'alarms_by_end' },
} as const satisfies Record<AlarmOrder, { column: keyof Tables['alarms']; index: string }>

/** What an alarm is ordered by. */
export type AlarmKey = readonly [value: number, id: number]

export const compareKeys =
  (direction: OrderDirection) =>
  (one: AlarmKey, other: AlarmKey): number => {
    const ascending = one[0] - other[0] || one[1] - other[1]
    return direction === 'asc' ? ascending : -ascending
  }
