import type { Statement } from '../../sql/engine.ts'
import type { RecordKind } from '../../storage.ts'

const TARGET =
  /^\s*(?:with\b.*?\)\s*)?(?:(?:insert|replace)\b[\w\s]*?\binto|update(?:\s+or\s+\w+)?|delete\s+from)\s+"?(theme|raw)_records\b/is

const targets = new Map<string, RecordKind | undefined>()

/** The open records that a statement changes, if it changes any. */
export function targetOf(sql: string): RecordKind | undefined {
  if (!targets.has(sql)) targets.set(sql, TARGET.exec(sql)?.[1]?.toLowerCase() as RecordKind)
  return targets.get(sql)
}

/** Throws where a statement would change open records and leave their checksums as they were. */
export function requireChecked({ sql, otherwise, checked }: Statement): void {
  for (const text of otherwise === undefined ? [sql] : [sql, ...[otherwise].flat()]) {
    const kind = targetOf(text)
    if (kind !== undefined && kind !== checked?.kind)
      throw new Error(
        `A statement changes ${kind}_records and does not say so by "checked: { kind: '${kind}' }".`,
      )
  }
}
