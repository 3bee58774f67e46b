import type { Statement } from '../../sql/statement.ts'
import type { RecordKind } from '../../stores/records.ts'

const TARGET =
  /^\s*(?:with\b.*?\)\s*)?(?:(?:insert|replace)\b[\w\s]*?\binto|update(?:\s+or\s+\w+)?|delete\s+from)\s+"?(theme|raw)_records\b/is

const targets = new Map<string, RecordKind | undefined>()

/** The open records that a statement changes, if it changes any. */
const targetOf = (sql: string): RecordKind | undefined =>
  targets.getOrInsertComputed(sql, () => {
    const kind = TARGET.exec(sql)?.[1]?.toLowerCase()
    return kind === 'theme' || kind === 'raw' ? kind : undefined
  })

/** Throws where a statement changes open records and does not say so: their checksums would be wrong. */
export function requireChecked({ sql, otherwise, checked }: Statement): void {
  for (const text of otherwise === undefined ? [sql] : [sql, ...[otherwise].flat()]) {
    const kind = targetOf(text)
    if (kind !== undefined && kind !== checked?.kind)
      throw new Error(
        `A statement changes ${kind}_records and does not say so by "checked: { kind: '${kind}' }".`,
      )
  }
}
