import type { Replacement } from '@plumbline/contract'
import { completeRows, type CompleteRow, type Recorded } from '../../commit/complete-rows.ts'
import type { NewRecord } from '../../commit/rows.ts'
import { qualifiedValues } from '../../domain/quality/qualified-values.ts'
import { recordText } from '../../domain/records/record-text.ts'
import { countOf } from '../../errors/show.ts'
import type { RecordKind, RecordStore } from '../../storage/storage.ts'
import { readQuality } from '../records/read-quality.ts'
import { readValues } from '../records/read-values.ts'
import { isRejection } from '../records/report.ts'

/** What records would do to the stored ones that they meet. */
export type StoredChanges = {
  /** The records that meet a stored one. */
  met: number
  /** Of the values of these: with another number or quality, of a key without a value, and gone. */
  changed: number
  added: number
  removed: number
}

export const noChanges = (): StoredChanges => ({ met: 0, changed: 0, added: 0, removed: 0 })

/** A record of a file, with the qualities of values that are not good. */
export type FileRecord = { time: number; values: object; quality?: object }

type ComparedSource = { kind: RecordKind; source: number; of: Recorded; replace: Replacement }

/** Adds what the records of one sensor or station would do to stored ones. */
export async function addChanges(
  changes: StoredChanges,
  stored: Pick<RecordStore, 'findStored'>,
  { kind, source, of, replace }: ComparedSource,
  records: readonly FileRecord[],
): Promise<void> {
  const rows = records.flatMap((record) => toNewRecord(record, { source, of, replace }))
  const places = { sources: rows.map(() => source), times: rows.map(({ time }) => time) }
  const found = await stored.findStored(kind, places)
  const complete = await completeRows(rows, found, () => of)
  for (const row of complete.rows) addRow(changes, row)
}

function toNewRecord(
  { time, values: sent, quality }: FileRecord,
  { source, of, replace }: Omit<ComparedSource, 'kind'>,
): NewRecord[] {
  const owner = (): string => `source ${source}`
  const values = readValues(sent, of, owner)
  if (isRejection(values)) return []
  const marks = readQuality(quality, of, values, owner)
  if (marks !== undefined && isRejection(marks)) return []
  const record = recordText(of.quotedKeys, values, of.structure.zone.toLocal(time))
  return [{ source, time, record, values, marks, isPart: replace === 'keys' }]
}

function addRow(changes: StoredChanges, { before, of, qualified }: CompleteRow): void {
  if (before.record === null && before.marks === null) return
  changes.met++
  const stored = qualifiedValues(before, of)
  for (const place of of.itemIndex.values()) {
    const [was, will] = [stored.values[place], qualified.values[place]]
    if (was === undefined && will !== undefined) changes.added++
    if (was !== undefined && will === undefined) changes.removed++
    if (was === undefined || will === undefined) continue
    const [mark, other] = [stored.marks?.[place], qualified.marks?.[place]]
    const isSame =
      was === will && mark?.quality === other?.quality && mark?.reason === other?.reason
    if (!isSame) changes.changed++
  }
}

/** The changes as part of a sentence: `2 stored records are met: 3 values would change, 1 be added`. */
export function describeChanges({ met, changed, added, removed }: StoredChanges): string {
  if (met === 0) return 'no stored record is met'
  const parts = [
    [changed, 'change'],
    [added, 'be added'],
    [removed, 'be removed'],
  ] as const
  const [[count, what] = parts[0], ...others] = parts.filter(([count]) => count > 0)
  const values = count === 0 ? 'no value' : countOf(count, 'value')
  return [
    `${countOf(met, 'stored record')} ${met === 1 ? 'is' : 'are'} met: ${values} would ${what}`,
    ...others.map(([count, what]) => `${count.toLocaleString('en')} ${what}`),
  ].join(', ')
}
