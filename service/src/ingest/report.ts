import type { IngestReport } from '@plumbline/contract'

/** A record that cannot be stored: a sentence that says why. */
export type Rejection = { rejection: string }

export const isRejection = (value: object): value is Rejection => 'rejection' in value

/** Sorts the records of a batch into what can be stored and what is named with its reason. */
export function sift<Row extends object>(
  records: readonly unknown[],
  read: (record: unknown, index: number) => Row | Rejection,
): { rows: Row[]; rejected: IngestReport['rejected'] } {
  const rows: Row[] = []
  const rejected: IngestReport['rejected'] = []
  for (const [index, record] of records.entries()) {
    const row = read(record, index)
    if (isRejection(row)) rejected.push({ index, message: row.rejection })
    else rows.push(row)
  }
  return { rows, rejected }
}

const SHOWN_LENGTH = 60

/** A value of the sender's, short enough for a sentence. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
}
