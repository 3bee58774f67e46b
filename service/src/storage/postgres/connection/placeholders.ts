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
  let count = 0
  const text = sql.replaceAll(/'[^']*'|\?/g, (found) => (found === '?' ? `$${++count}` : found))
  if (texts.size >= KEPT) texts.clear()
  texts.set(sql, text)
  return text
}
