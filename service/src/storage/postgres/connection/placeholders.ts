/** The most texts that are kept; filters of lists make ever new ones. */
const KEPT = 500

const texts = new Map<string, string>()

/**
 * A statement of the shared stores as PostgreSQL writes it: each `?` outside of a text in quotes
 * becomes `$1`, `$2` and so on.
 */
export function numbered(sql: string): string {
  const known = texts.get(sql)
  if (known !== undefined) return known
  const text = numberOnce(sql)
  if (texts.size >= KEPT) texts.clear()
  texts.set(sql, text)
  return text
}

/** The same for a text that is not likely to come again. */
export function numberOnce(sql: string): string {
  let count = 0
  return sql.replaceAll(/'[^']*'|\?/g, (found) => (found === '?' ? `$${++count}` : found))
}
