import type { Condition } from '../dialect.ts'
import type { SqlReader } from '../engine.ts'

/** A query for one value of a source: of the one that a parameter names, or of a column. */
type QueryOf = (source: number | 'given.source') => Condition

const SOURCES_AT_ONCE = 500

/** Finds a value of each source, in their order; `null` where there is none. */
export async function findForEach<Value = number>(
  reader: SqlReader,
  sources: readonly number[],
  queryOf: QueryOf,
): Promise<(Value | null)[]> {
  const { givenSources } = reader.dialect
  const find = async (source: number): Promise<Value | null> => {
    const { sql, values } = queryOf(source)
    return (await reader.row<[Value | null]>(sql, ...values))?.[0] ?? null
  }
  if (givenSources === undefined || sources.length === 1) return Promise.all(sources.map(find))
  const { sql, values } = queryOf('given.source')
  const found: (Value | null)[] = []
  for (let from = 0; from < sources.length; from += SOURCES_AT_ONCE) {
    const given = givenSources(sources.slice(from, from + SOURCES_AT_ONCE))
    const rows = await reader.rows<[Value | null]>(
      `select (${sql}) from ${given.sql} order by given.at`,
      ...values,
      ...given.values,
    )
    found.push(...rows.map(([one]) => one))
  }
  return found
}
