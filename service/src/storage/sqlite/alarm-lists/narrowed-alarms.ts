import { allOf, isOneOf, type Condition } from './conditions.ts'
import { keywordCondition } from './keyword-condition.ts'
import { toSeconds } from '../../sql/alarm-rows.ts'
import type { Reader } from '../connection/reader.ts'
import type { AlarmFilter } from '../../storage.ts'

/** What a filter leaves. */
export type NarrowedAlarms = Readonly<{
  /** By structure, level and category, which are columns of `alarms` and of `alarm_counts`. */
  byGroup(table: 'alarms' | 'alarm_counts'): Condition
  /** By window and keyword; undefined where the filter has neither. */
  further: Condition | undefined
}>

export function narrowAlarms(reader: Reader, filter: AlarmFilter): NarrowedAlarms {
  const { scope, levels, categories, startTime, endTime, keywords } = filter
  const further = [
    ...(startTime === undefined ? [] : [bound('end_time >= ?', startTime)]),
    ...(endTime === undefined ? [] : [bound('start_time <= ?', endTime)]),
    ...(keywords === undefined ? [] : [keywordCondition(reader, keywords)]),
  ]
  return {
    byGroup: (table) =>
      allOf(
        scope === 'all' ? undefined : isOneOf(`${table}.structure_id`, scope),
        levels && isOneOf(`${table}.level`, levels),
        categories && isOneOf(`${table}.category`, categories),
      ),
    further: further.length === 0 ? undefined : allOf(...further),
  }
}

const bound = (sql: string, time: string): Condition => ({
  sql: `alarms.${sql}`,
  values: [toSeconds(time)],
})
