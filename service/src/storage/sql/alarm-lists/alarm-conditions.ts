import { allOf } from './conditions.ts'
import type { Condition } from '../dialect.ts'
import { keywordCondition } from './keyword-condition.ts'
import { toSeconds } from '../alarm-rows.ts'
import type { SqlReader } from '../engine.ts'
import type { AlarmListFilter } from '../../stores/alarms.ts'

/** The conditions of a filter. */
export type AlarmConditions = Readonly<{
  /** Structure, level and category, which are columns of `alarms` and of `alarm_counts`. */
  byGroup(table: 'alarms' | 'alarm_counts'): Condition
  window: Condition | undefined
  keyword: Condition | undefined
}>

/** All conditions, the cheapest first. */
export const allConditions = (
  { window, keyword }: AlarmConditions,
  group: Condition | undefined,
): Condition => allOf(window, group, keyword)

export async function alarmConditions(
  reader: SqlReader,
  filter: AlarmListFilter,
): Promise<AlarmConditions> {
  const { isOneOf } = reader.dialect
  const { scope, levels, categories, startTime, endTime, keywords } = filter
  return {
    byGroup: (table) =>
      allOf(
        scope === 'all' ? undefined : isOneOf(`${table}.structure_id`, scope),
        levels && isOneOf(`${table}.level`, levels),
        categories && isOneOf(`${table}.category`, categories),
      ),
    window:
      startTime === undefined && endTime === undefined
        ? undefined
        : allOf(
            startTime === undefined ? undefined : bound('end_time >= ?', startTime),
            endTime === undefined ? undefined : bound('start_time <= ?', endTime),
          ),
    keyword: keywords === undefined ? undefined : await keywordCondition(reader, keywords),
  }
}

const bound = (sql: string, time: string): Condition => ({
  sql: `alarms.${sql}`,
  values: [toSeconds(time)],
})
