import type { QueryArrayConfig, QueryConfig } from 'pg'
import { storedText, storedValues } from '../../sql/stored-texts.ts'
import { numberOnce, numbered } from './placeholders.ts'

/** The most statements that each connection keeps prepared. */
const KEPT = 400

const names = new Map<string, string>()

/** The name under which connections keep a statement prepared; none for the rare ones beyond a number. */
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= KEPT) return known
  const name = `s${names.size}`
  names.set(text, name)
  return name
}

const LARGEST_BIGINT = '9223372036854775807'

/** A value as PostgreSQL takes it: no text of it has a NUL, and no integer is infinite. */
export function toParameter(value: unknown): unknown {
  if (value === Infinity) return LARGEST_BIGINT
  if (value === -Infinity) return `-${LARGEST_BIGINT}`
  if (Array.isArray(value)) return storedValues(value)
  return typeof value === 'string' ? storedText(value) : value
}

/** A query whose rows are objects. */
export function asObjects(sql: string, values: readonly unknown[]): QueryConfig {
  const text = numbered(sql)
  const name = nameOf(text)
  return { text, values: values.map(toParameter), ...(name === undefined ? {} : { name }) }
}

/** A query whose rows are tuples. */
export const asTuples = (sql: string, values: readonly unknown[]): QueryArrayConfig => ({
  ...asObjects(sql, values),
  rowMode: 'array',
})

/** The same for a text that is not likely to come again: no connection keeps it prepared. */
export const asTuplesOnce = (sql: string, values: readonly unknown[]): QueryArrayConfig => ({
  text: numberOnce(sql),
  values: values.map(toParameter),
  rowMode: 'array',
})
