import type { Condition } from '../dialect.ts'

export const allOf = (...conditions: readonly (Condition | undefined)[]): Condition =>
  joined(conditions, ' and ', 'true')

export const anyOf = (...conditions: readonly (Condition | undefined)[]): Condition =>
  joined(conditions, ' or ', 'false')

function joined(
  conditions: readonly (Condition | undefined)[],
  operator: string,
  without: string,
): Condition {
  const given = conditions.filter((condition) => condition !== undefined)
  if (given.length === 0) return { sql: without, values: [] }
  return {
    sql: `(${given.map(({ sql }) => sql).join(operator)})`,
    values: given.flatMap(({ values }) => values),
  }
}
