import type { Statement } from '../../sql/statement.ts'
import type { Reader } from '../connection/reader.ts'
import { DamageError } from '../../../errors/damage-error.ts'

/** Indexes and counts that do not agree with the rows that they are made of. */
type StaleIndexes = { indexes: ReadonlySet<string>; hasStaleCounts: boolean }

/** Finds stale indexes in the lines of `pragma integrity_check`, and counts the closed alarms again. */
export function findStale(reader: Reader, lines: readonly string[]): StaleIndexes {
  return {
    indexes: new Set(lines.flatMap((line) => indexOf(line) ?? [])),
    hasStaleCounts: hasWrongCount(reader),
  }
}

/** False where alarms cannot be read: that is damage, which other checks find. */
function hasWrongCount(reader: Reader): boolean {
  try {
    return reader.row(WRONG_COUNT) !== undefined
  } catch (error) {
    if (error instanceof DamageError) return false
    throw error
  }
}

/** The index that a line says does not agree with its table. */
export const indexOf = (line: string): string | undefined => / index (\w+)$/.exec(line)?.[1]

export const describeStale = ({ indexes, hasStaleCounts }: StaleIndexes): string[] => [
  ...indexes.values().map((name) => `The index ${name} does not agree with its table.`),
  ...(hasStaleCounts ? ['The table alarm_counts does not agree with the table alarms.'] : []),
]

export const rebuildStatements = ({ indexes, hasStaleCounts }: StaleIndexes): Statement[] =>
  [
    ...indexes.values().map((name) => `reindex "${name}"`),
    ...(hasStaleCounts ? ['delete from alarm_counts', COUNT_ALARMS] : []),
  ].map((sql) => ({ sql, width: 0, values: [] }))

const CLOSED = `select structure_id, level, category, count(*) as closed from alarms not indexed
  where state >= 3 group by 1, 2, 3`

const WRONG_COUNT = `select 1 from (
    select structure_id, level, category, closed from alarm_counts
    union all select structure_id, level, category, -closed from (${CLOSED})
  ) group by structure_id, level, category having sum(closed) <> 0 limit 1`

const COUNT_ALARMS = `insert into alarm_counts (structure_id, level, category, closed) ${CLOSED}`
