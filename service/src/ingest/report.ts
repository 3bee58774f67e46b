import type { IngestReport } from '@plumbline/contract'
import { inSlices } from '../domain/in-slices.ts'

/** What stands in the place of a record that could not be read, and why. */
export class UnreadableRecord {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

/** A record that cannot be stored: a sentence that says why. */
export type Rejection = { rejection: string }

export const isRejection = (value: object): value is Rejection => 'rejection' in value

/** Sorts the records of a batch into what can be stored and what is named with its reason. */
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

const SHOWN_LENGTH = 60

/** A value of the sender's, short enough for a sentence. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
}
