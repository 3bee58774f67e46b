import type { RecordKind } from '../../stores/records.ts'
import type { SqlReader } from '../engine.ts'
import { readOpenRows, type OpenRows } from '../sealed-days/sealed-parts.ts'

/** More than a reader takes at once: nobody waits for the first of them. */
const ROWS_AT_ONCE = 10_000

/** Yields the open records of a source, checked, oldest first. */
export async function* readOpenLists(
  reader: SqlReader,
  kind: RecordKind,
  source: number,
): AsyncGenerator<OpenRows> {
  let from = Number.MIN_SAFE_INTEGER
  while (true) {
    const start = from
    const rows = await reader.snapshot((one) =>
      readOpenRows(one, kind, source, start, Number.MAX_SAFE_INTEGER, ROWS_AT_ONCE),
    )
    if (rows.texts.length > 0) yield rows
    if (rows.isAll) return
    from = rows.to + 1
  }
}
