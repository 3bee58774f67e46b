import { setImmediate } from 'node:timers/promises'
import type { IngestReport } from '@plumbline/contract'

/** A record that cannot be stored: a sentence that says why. */
export type Rejection = { rejection: string }

export const isRejection = (value: object): value is Rejection => 'rejection' in value

/** So long others wait for their turn at the most. */
const TURN_MILLISECONDS = 5
const RECORDS_BETWEEN_LOOKS = 32

/**
 * Sorts the records of a batch into what can be stored and what is named with its reason; a large
 * one gives turns to others meanwhile.
 */
export async function sift<Row extends object>(
  records: readonly unknown[],
  read: (record: unknown, index: number) => Row | Rejection,
): Promise<{ rows: Row[]; rejected: IngestReport['rejected'] }> {
  const rows: Row[] = []
  const rejected: IngestReport['rejected'] = []
  let began = performance.now()
  for (const [index, record] of records.entries()) {
    const row = read(record, index)
    if (isRejection(row)) rejected.push({ index, message: row.rejection })
    else rows.push(row)
    if (index % RECORDS_BETWEEN_LOOKS !== 0) continue
    if (performance.now() - began < TURN_MILLISECONDS) continue
    await setImmediate()
    began = performance.now()
  }
  return { rows, rejected }
}

const SHOWN_LENGTH = 60

/** A value of the sender's, short enough for a sentence. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
}
