/** A condition of a query with its values. */
export type Condition = Readonly<{ sql: string; values: readonly unknown[] }>

/** More values than this are not compared one by one. */
const COMPARED = 4
/** Bytes for each value up to this one take no time worth mentioning. */
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

/** Among positive values: a byte for each is found in the same short time whether it is one or not. */
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
