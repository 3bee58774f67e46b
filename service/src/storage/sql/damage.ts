import { DamageError } from '../../errors/damage-error.ts'
import type { RecordSpan } from '../stores/records.ts'

/** The error for damaged open records, with their source and instants. */
export function damageOf(
  { kind, source }: Pick<RecordSpan, 'kind' | 'source'>,
  { start, last }: { start: number; last: number },
): DamageError {
  const [from, to] = [start, last].map(describeInstant)
  return new DamageError(
    `the open ${kind} records of source ${source} from ${from} to ${to} do not match their checksum`,
  )
}

/** An instant as ISO 8601; a damaged one that no date has, as its number. */
export const describeInstant = (instant: number): string => {
  const date = new Date(instant)
  return Number.isNaN(date.getTime()) ? String(instant) : date.toISOString()
}
