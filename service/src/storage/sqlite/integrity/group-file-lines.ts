import { countOf } from '../../../errors/show.ts'

/** A line of SQLite about the tree of pages of a table or index: `Tree 12 page 345: …`. */
const TREE = /^Tree (\d+) /

/** A line about a table of its own, of `inspectFile`. */
const ONE_TABLE = /^the table \w+ is malformed$/

/**
 * A sentence for each table with the lines of `pragma integrity_check` about it: the first line, and
 * how many more there are. `nameOf` returns the table or index whose tree begins at a page.
 */
export function groupFileLines(
  lines: readonly string[],
  nameOf: (page: number) => string | undefined,
): string[] {
  const treeOf = (line: string): string | undefined => {
    const [, page] = TREE.exec(line) ?? []
    return page === undefined ? undefined : nameOf(Number(page))
  }
  const errors = lines.flatMap(toErrors)
  const groups = Map.groupBy(errors, (line) => treeOf(line) ?? (ONE_TABLE.test(line) ? line : ''))
  return Array.from(groups.values(), ([first = '', ...others]) => {
    const tree = treeOf(first)
    const place = tree === undefined ? '' : `, ${tree}`
    const more = others.length === 0 ? '' : ` (and ${countOf(others.length, 'more error')})`
    return `The database file${place}: ${first}${more}`
  })
}

/** A line of SQLite may hold several errors below a heading. */
const toErrors = (line: string): string[] =>
  line.split('\n').filter((part) => part !== '' && !part.startsWith('*** in database'))
