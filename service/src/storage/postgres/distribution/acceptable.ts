const texts = new Map<string, string>()

/** The most texts that are kept. */
const KEPT = 500

/**
 * A statement as Citus takes it: an insert of a row of values with subqueries becomes an insert of a
 * query, and the last id of a sequence is asked of a function that is not volatile.
 */
export function acceptable(sql: string): string {
  const known = texts.get(sql)
  if (known !== undefined) return known
  if (texts.size >= KEPT) texts.clear()
  const text = rewrite(sql)
  texts.set(sql, text)
  return text
}

const VALUES = /^\s*insert into [^(]+\([^)]*\)\s*(values \()/

const LAST_ID = /currval\(pg_get_serial_sequence\('(\w+)', 'id'\)\)/g

function rewrite(given: string): string {
  const sql = given.replaceAll(LAST_ID, `last_id('$1')`)
  const found = VALUES.exec(sql)
  if (found === null) return sql
  const start = found[0].length
  const end = closingOf(sql, start)
  const row = sql.slice(start, end)
  if (!/\(\s*select\b/.test(row)) return sql
  return `${sql.slice(0, start - (found[1]?.length ?? 0))}select ${row}${sql.slice(end + 1)}`
}

/** The place of the parenthesis that closes the one before a place; texts in quotes count as they are. */
function closingOf(sql: string, start: number): number {
  let depth = 1
  for (let at = start; at < sql.length; at++) {
    if (sql[at] === "'") at = sql.indexOf("'", at + 1)
    else if (sql[at] === '(') depth++
    else if (sql[at] === ')' && --depth === 0) return at
  }
  return sql.length
}
