import type { Reader } from './reader.ts'
import { daysOf, endOfDay, startOfDay } from './record-days.ts'
import { DamageError } from '../../domain/damage-error.ts'
import type { RecordSpan } from '../storage.ts'

/** Throws where the days of a source lack one that has open records by their checksums. */
export function checkDays(
  reader: Reader,
  { kind, source, from, to }: RecordSpan,
  days: readonly (readonly [day: number, ...unknown[]])[],
): void {
  const known = new Set(days.map(([day]) => day))
  const [first, last] = daysOf(from, to)
  const place = [source, startOfDay(first), endOfDay(last)]
  const sums = reader.rows<[start: number, last: number]>(
    `select start, last from ${kind}_checksums where source = ? and start between ? and ?
      union all select start, last from ${kind}_tails where source = ? and start between ? and ?`,
    ...place,
    ...place,
  )
  const instants = sums.flat().filter((instant) => instant <= endOfDay(last))
  for (const instant of instants) {
    const [day] = daysOf(instant, instant)
    if (!known.has(day))
      throw new DamageError(
        `the open ${kind} records of source ${source} have no entry for ${new Date(startOfDay(day)).toISOString().slice(0, 10)}`,
      )
  }
}
