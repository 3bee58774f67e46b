import type { IngestReport } from '@plumbline/contract'
import { inSlices } from '../domain/in-slices.ts'
import { UnreadableRecord } from '../domain/unreadable-record.ts'

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

const SHOWN_LENGTH = 60

/** Thousands of records may each name the same large value of their message. */
const shownValues = new WeakMap<object, string>()

/** A value of the sender's, short enough for a sentence. */
export function show(value: unknown): string {
  if (typeof value !== 'object' || value === null) return write(value)
  const known = shownValues.get(value)
  if (known !== undefined) return known
  const text = write(value)
  shownValues.set(value, text)
  return text
}

function write(value: unknown): string {
  const text = JSON.stringify(beginningOf(value, { left: SHOWN_LENGTH })) ?? 'nothing'
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
}

/** So many parts of a value, in the order in which they are written: each takes a character. */
function beginningOf(value: unknown, parts: { left: number }): unknown {
  if (typeof value === 'string') return value.slice(0, SHOWN_LENGTH)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const shown: unknown[] = []
    for (const part of value) {
      if (parts.left-- <= 0) break
      shown.push(beginningOf(part, parts))
    }
    return shown
  }
  const shown = Object.create(null) as Record<string, unknown>
  for (const name in value) {
    if (parts.left-- <= 0) break
    const part = (value as Record<string, unknown>)[name]
    shown[name.slice(0, SHOWN_LENGTH)] = beginningOf(part, parts)
  }
  return shown
}
