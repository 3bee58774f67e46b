import { findOpenText } from './find-open-text.ts'
import type { Reader } from '../connection/reader.ts'
import { SealedRecords } from '../sealed-days/sealed-records.ts'
import { withLocation, findPart, loadPart, readOpenRows } from '../sealed-days/sealed-parts.ts'
import { cutRecords, mergeRecords, type RecordList } from '../../../domain/records/record-list.ts'
import { openPart } from '../../sealed-days/sealed-part.ts'
import type { RecordKind, RecordSpan } from '../../stores/records.ts'
import { PAGE_RECORDS } from './read-steps.ts'

/** Records with their instants, oldest first, a page at a time. */
export function* readLists(reader: Reader, span: RecordSpan): Generator<RecordList> {
  let position = span.from
  while (position <= span.to) {
    const from = position
    const { list, next } = reader.snapshot(() => readList(reader, span, from))
    position = next
    if (list.texts.length > 0) yield list
  }
}

function readList(
  reader: Reader,
  { kind, source, to }: RecordSpan,
  position: number,
): { list: RecordList; next: number } {
  const found = findPart(reader, kind, source, position)
  const isWithin = found !== undefined && found.start <= position
  const end = Math.min(to, (isWithin ? found.until : (found?.start ?? Infinity)) - 1)
  const rows = readOpenRows(reader, kind, source, position, end, PAGE_RECORDS)
  const last = rows.to
  if (!isWithin) return { list: rows, next: last + 1 }
  const part = loadPart(reader, kind, found.id)
  const sealed = withLocation({ kind, source }, part, () => openPart(part))
  return { list: mergeRecords(cutRecords(sealed, position, last), rows), next: last + 1 }
}

/** The record of an instant, open or sealed. */
export const readRecord = (
  reader: Reader,
  kind: RecordKind,
  source: number,
  time: number,
): string | undefined =>
  reader.snapshot(
    () => findRecord(reader, new SealedRecords(reader, kind), kind, source, time).record,
  )

/**
 * The record of an instant, and the open one if there is one. In one state of the data: `sealed` keeps a
 * part decoded for the next record.
 */
export function findRecord(
  reader: Reader,
  sealed: SealedRecords,
  kind: RecordKind,
  source: number,
  time: number,
): { record: string | undefined; open: string | undefined } {
  const open = findOpenText(reader, kind, source, time)
  return { open, record: open ?? sealed.find(source, time)?.text }
}
