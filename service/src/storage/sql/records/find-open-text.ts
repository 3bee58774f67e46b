import type { Tuple } from '../engine.ts'
import type { RecordKind } from '../../stores/records.ts'
import type { SqlReader } from '../engine.ts'

/** The text of an open record. */
export async function findOpenText(
  reader: SqlReader,
  kind: RecordKind,
  source: number,
  time: number,
): Promise<string | undefined> {
  const sql = `select record from ${kind}_records where source = ? and time = ?`
  return (await reader.row<Tuple<'theme_records', ['record']>>(sql, source, time))?.[0]
}
