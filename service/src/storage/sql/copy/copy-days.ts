import { endOfDay, startOfDay } from '../records/record-days.ts'
import type { RecordKind } from '../../stores/records.ts'
import { openDays, openRecords } from './copied-tables.ts'
import { compareRows } from './compare-rows.ts'
import { copyTable, type Copy } from './copy-table.ts'
import { deleteRows, upsertRows } from './row-statements.ts'

/**
 * Copies the open records of the days that have changed.
 *
 * The revision of a day was read before its records and is stored after them: a day that receives records
 * meanwhile is copied again.
 */
export async function copyDays(copy: Copy, kind: RecordKind): Promise<void> {
  const { from, to, writer } = copy
  const [days, records] = [openDays(kind), openRecords(kind)]
  const columns = copy.columns.get(days.name) ?? []
  const query = { table: days, columns: columns.map(({ name }) => name) }
  for await (const found of compareRows(from, to, query))
    for (const { kind: difference, row } of found) {
      const [source = 0, day] = row
      const range = {
        from: [source, startOfDay(Number(day))],
        until: [source, endOfDay(Number(day)) + 1],
      }
      await copyTable(copy, records, range)
      await writer.add(
        difference === 'gone' ? deleteRows(days, columns, [row]) : upsertRows(days, columns, [row]),
      )
    }
}
