import type { IngestReport } from '@plumbline/contract'
import { inSlices } from '../../concurrency/in-slices.ts'
import { UnreadableRecord } from '../../json/unreadable-record.ts'

/** Why a record cannot be stored, as a sentence. */
export type Rejection = { rejection: string }

export const isRejection = (value: object): value is Rejection => 'rejection' in value

/** The row that a report rejects. A report that names another row would lose a record in silence. */
export function rejectedRow<Row>(rows: readonly Row[], index: number): Row {
  const row = rows[index]
  if (row === undefined) throw new RangeError(`a report rejects row ${index} of ${rows.length}`)
  return row
}

/**
 * Reads the records of a batch; those that cannot be stored are reported with their index. Other work
 * runs between the slices of a large batch.
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
