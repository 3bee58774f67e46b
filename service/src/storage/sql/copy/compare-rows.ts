import type { CopiedTable } from './copied-tables.ts'
import { storedText } from '../stored-texts.ts'
import type { CopySide, Row, Value } from './copy-side.ts'

/** Rows between two keys, the end not included. */
export type KeyRange = { from: Row; until: Row }

/** Rows of a table; the columns begin with the key. */
export type RowQuery = {
  table: CopiedTable
  columns: readonly string[]
  range?: KeyRange | undefined
}

type RowSide = Pick<CopySide, 'rows'>

/** A row that one side has and the other has not, or not in this form. */
export type Difference = { kind: 'new' | 'changed' | 'gone'; row: Row }

const PAGE_ROWS = 2_000

/** Yields the rows of a table in the order of its key, a page at a time. */
export async function* readPages(side: RowSide, query: RowQuery): AsyncGenerator<Row[]> {
  const { table, columns, range } = query
  const key = table.key.join(', ')
  const marks = table.key.map(() => '?').join(', ')
  const limit = table.pageRows ?? PAGE_ROWS
  let after: Row | undefined
  while (true) {
    const conditions = [
      ...(table.where === undefined ? [] : [table.where]),
      ...(after === undefined ? [] : [`(${key}) > (${marks})`]),
      ...(after === undefined && range !== undefined ? [`(${key}) >= (${marks})`] : []),
      ...(range === undefined ? [] : [`(${key}) < (${marks})`]),
    ]
    const rows = await side.rows<Row>(
      `select ${columns.join(', ')} from ${table.name}
        ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
        order by ${key} limit ?`,
      ...(after ?? range?.from ?? []),
      ...(range?.until ?? []),
      limit,
    )
    if (rows.length > 0) yield rows.map(toStored)
    if (rows.length < limit) return
    after = rows.at(-1)?.slice(0, table.key.length)
  }
}

/** A row as it is stored by both engines: folders of earlier versions have a NUL in some texts. */
const toStored = (row: Row): Row =>
  row.some((value) => typeof value === 'string' && value.includes('\0'))
    ? row.map((value) => (typeof value === 'string' ? storedText(value) : value))
    : row

/** Yields what has to change in the rows of `to` until they are those of `from`, in the order of the key. */
export async function* compareRows(
  from: RowSide,
  to: RowSide,
  query: RowQuery,
  onRows: (rows: number) => void = () => {},
): AsyncGenerator<Difference[]> {
  const one = new Cursor(readPages(from, query), onRows)
  const other = new Cursor(readPages(to, query))
  const width = query.table.key.length
  const most = query.table.pageRows ?? PAGE_ROWS
  let found: Difference[] = []
  while (true) {
    if (one.isSpent) await one.load()
    if (other.isSpent) await other.load()
    const [mine, theirs] = [one.row, other.row]
    const order = compareKeys(mine, theirs, width)
    if (order === undefined) break
    if (order < 0 && mine !== undefined) found.push({ kind: 'new', row: mine })
    else if (order > 0 && theirs !== undefined) found.push({ kind: 'gone', row: theirs })
    else if (mine !== undefined && theirs !== undefined && !isSame(mine, theirs))
      found.push({ kind: 'changed', row: mine })
    if (order <= 0) one.next()
    if (order >= 0) other.next()
    if (found.length < most) continue
    yield found
    found = []
  }
  if (found.length > 0) yield found
}

/** The next row of pages. */
class Cursor {
  readonly #pages: AsyncGenerator<Row[]>
  readonly #onRows: (rows: number) => void
  #rows: readonly Row[] = []
  #at = 0
  #isEnded = false

  constructor(pages: AsyncGenerator<Row[]>, onRows: (rows: number) => void = () => {}) {
    this.#pages = pages
    this.#onRows = onRows
  }

  get row(): Row | undefined {
    return this.#rows[this.#at]
  }

  get isSpent(): boolean {
    return this.#at >= this.#rows.length && !this.#isEnded
  }

  next(): void {
    this.#at++
  }

  async load(): Promise<void> {
    const { value, done } = await this.#pages.next()
    this.#isEnded = done === true
    this.#rows = value ?? []
    this.#at = 0
    this.#onRows(this.#rows.length)
  }
}

/** Negative where the first key is the lower one or the only one; undefined without both. */
function compareKeys(one: Row | undefined, other: Row | undefined, width: number) {
  if (one === undefined) return other === undefined ? undefined : 1
  if (other === undefined) return -1
  for (let at = 0; at < width; at++) {
    const order = compareValues(one[at] ?? null, other[at] ?? null)
    if (order !== 0) return order
  }
  return 0
}

/** Texts compare by their bytes, as in both engines. */
function compareValues(one: Value, other: Value): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (one === other) return 0
  return Buffer.compare(bytesOf(one), bytesOf(other))
}

function isSame(one: Row, other: Row): boolean {
  return one.every((value, at) => {
    const theirs = other[at] ?? null
    if (value === theirs) return true
    return (
      value instanceof Uint8Array &&
      theirs instanceof Uint8Array &&
      Buffer.compare(value, theirs) === 0
    )
  })
}

const bytesOf = (value: Value): Uint8Array =>
  value instanceof Uint8Array ? value : Buffer.from(String(value))
