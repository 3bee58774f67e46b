/** A condition of a query, and the values of its parameters. */
export type Condition = Readonly<{ sql: string; values: readonly unknown[] }>

/** Up to this many values are compared one by one. */
const COMPARED = 4
/** Values up to this one are looked up in an array of bytes, which is made in no time. */
const MARKED = 2 ** 20

export function isOneOf(column: string, values: readonly number[]): Condition {
  if (values.length <= COMPARED)
    return anyOf(...values.map((value) => ({ sql: `${column} = ?`, values: [value] })))
  if (values.every((value) => value > 0 && value <= MARKED)) return isMarked(column, values)
  return {
    sql: `${column} in (select value from json_each(?))`,
    values: [JSON.stringify(values)],
  }
}

/** A byte for each positive value: a lookup takes the same short time for a match and for none. */
function isMarked(column: string, values: readonly number[]): Condition {
  const marks = new Uint8Array(values.reduce((most, value) => Math.max(most, value), 0))
  for (const value of values) marks[value - 1] = 1
  return { sql: `substr(?, ${column}, 1) = x'01'`, values: [marks] }
}

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
