import { findOpenText } from './find-open-text.ts'
import type { SqlReader } from '../engine.ts'
import { SealedRecords } from '../sealed-days/sealed-records.ts'
import { withLocation, findPart, loadPart, readOpenRows } from '../sealed-days/sealed-parts.ts'
import { cutRecords, mergeRecords, type RecordList } from '../../../domain/records/record-list.ts'
import { openPart } from '../../sealed-days/sealed-part.ts'
import type { RecordKind, RecordSpan } from '../../stores/records.ts'
import { PAGE_RECORDS } from './read-steps.ts'

/** Records with their instants, oldest first, a page at a time. */
export async function* readLists(reader: SqlReader, span: RecordSpan): AsyncGenerator<RecordList> {
  let position = span.from
  while (position <= span.to) {
    const from = position
    const { list, next } = await reader.snapshot((one) => readList(one, span, from))
    position = next
    if (list.texts.length > 0) yield list
  }
}

async function readList(
  reader: SqlReader,
  { kind, source, to }: RecordSpan,
  position: number,
): Promise<{ list: RecordList; next: number }> {
  const found = await findPart(reader, kind, source, position)
  const isWithin = found !== undefined && found.start <= position
  const end = Math.min(to, (isWithin ? found.until : (found?.start ?? Infinity)) - 1)
  const rows = await readOpenRows(reader, kind, source, position, end, PAGE_RECORDS)
  const last = rows.to
  if (!isWithin) return { list: rows, next: last + 1 }
  const part = await loadPart(reader, kind, source, found.id)
  const sealed = withLocation({ kind, source }, part, () => openPart(part))
  return { list: mergeRecords(cutRecords(sealed, position, last), rows), next: last + 1 }
}

/** The record of an instant, open or sealed. */
export const readRecord = (
  reader: SqlReader,
  kind: RecordKind,
  source: number,
  time: number,
): Promise<string | undefined> =>
  reader.snapshot(async (one) => {
    const { record } = await findRecord(one, new SealedRecords(kind), kind, source, time)
    return record
  })

/**
 * The record of an instant, and the open one if there is one. In one state of the data: `sealed` keeps a
 * part decoded for the next record.
 */
export async function findRecord(
  reader: SqlReader,
  sealed: SealedRecords,
  kind: RecordKind,
  source: number,
  time: number,
): Promise<{ record: string | undefined; open: string | undefined }> {
  const open = await findOpenText(reader, kind, source, time)
  return { open, record: open ?? (await sealed.find(reader, source, time))?.text }
}
