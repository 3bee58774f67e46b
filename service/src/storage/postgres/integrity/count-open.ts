import type { SqlReader } from '../../sql/engine.ts'
import type { InspectedRecords, RecordKind } from '../../stores/records.ts'

/** Counts the open records of each source: PostgreSQL itself checks the pages that it reads for that. */
export async function* countOpen(
  reader: SqlReader,
  kind: RecordKind,
): AsyncGenerator<InspectedRecords> {
  const sql = `select min(source) from ${kind}_records where source > ?`
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const [source] = (await reader.row<[number | null]>(sql, after)) ?? []
    if (source === undefined || source === null) return
    const [start, records] =
      (await reader.row<[number | null, number]>(
        `select min(time), count(*) from ${kind}_records where source = ?`,
        source,
      )) ?? []
    // The last record may have been sealed or deleted between the two.
    if (typeof start === 'number' && records !== undefined) yield { source, start, records }
    after = source
  }
}
