import type { Tuple } from '../../sql/engine.ts'
import type { RecordKind } from '../../stores/records.ts'
import type { Reader } from '../connection/reader.ts'

/** The text of an open record. */
export function findOpenText(
  reader: Reader,
  kind: RecordKind,
  source: number,
  time: number,
): string | undefined {
  const sql = `select record from ${kind}_records where source = ? and time = ?`
  return reader.row<Tuple<'theme_records', ['record']>>(sql, source, time)?.[0]
}
