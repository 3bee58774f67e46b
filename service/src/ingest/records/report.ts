import type { IngestReport } from '@plumbline/contract'
import { inSlices } from '../../concurrency/in-slices.ts'
import { UnreadableRecord } from '../../json/unreadable-record.ts'

/** A record that cannot be stored: a sentence that says why. */
export type Rejection = { rejection: string }

export const isRejection = (value: object): value is Rejection => 'rejection' in value

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
  await inSlices(records, (record, index) => {
    const row =
      record instanceof UnreadableRecord ? { rejection: record.reason } : read(record, index)
    if (isRejection(row)) rejected.push({ index, message: row.rejection })
    else rows.push(row)
  })
  return { rows, rejected }
}
