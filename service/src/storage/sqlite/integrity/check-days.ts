import { describeInstant } from '../../sql/damage.ts'
import type { Reader } from '../connection/reader.ts'
import { daysOf, endOfDay, startOfDay } from '../../sql/records/record-days.ts'
import { DamageError } from '../../../errors/damage-error.ts'
import type { RecordSpan } from '../../stores/records.ts'

/** Throws where an open record of a span lies on a day that is not among `days`, which ascend. */
export function checkDays(
  reader: Reader,
  { kind, source, from, to }: RecordSpan,
  days: readonly (readonly [day: number, ...unknown[]])[],
): void {
  const [first, last] = daysOf(from, to)
  const sql = `select time from ${kind}_records where source = ? and time between ? and ? limit 1`
  let next = first
  for (const [day] of [...days, [last + 1] as const]) {
    const gap = [startOfDay(next), endOfDay(day - 1)]
    const [time] = (day > next && reader.row<[number]>(sql, source, ...gap)) || []
    if (time !== undefined)
      throw new DamageError(
        `the open ${kind} records of source ${source} have no entry for the day of ${describeInstant(time)}`,
      )
    next = day + 1
  }
}
