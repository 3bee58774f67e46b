import { escapeFormula } from '../../encodings/formula-text.ts'
import type { Fields } from '../../encodings/csv/fields.ts'
import type { Line } from '../../encodings/csv/line.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { shorten } from '../../errors/show.ts'
import { didYouMean } from '../../schemas/near-miss.ts'
import type { ColumnName, Mapping } from './mapping.ts'

/** A row whose columns are known; its fields are there until the next line is taken. */
export type Row = { fields: Fields; layout: Layout }

/** Why something cannot be read, as a sentence. */
export type Problem = { reason: string }

/** Where in a row the columns of a mapping stand, counted from 0. */
export type Layout = {
  /** Fields a row must have; of more, those beyond must be empty. */
  width: number
  /** Without a header, only that many at least. */
  isOpen: boolean
  time: readonly number[]
  /** For each target, the fields of its columns. */
  targets: readonly (readonly number[])[]
}

/** Finds the columns in a header; a column that is not there is refused by its name. */
export function readHeader(fields: Fields, line: Line, mapping: Mapping): Layout {
  const names = fields.texts(line)
  if (typeof names === 'string')
    throw new RefusedError('invalid', `line ${line.number}: the header: ${names}`)
  const header = names.map((name) => name.trim())
  while (header.at(-1) === '') header.pop()
  const find = (column: ColumnName) => findColumn(column, header, line.number)
  return {
    width: header.length,
    isOpen: false,
    time: timeColumns(mapping).map(find),
    targets: mapping.targets.map(({ columns }) => columns.map(({ column }) => find(column))),
  }
}

/** For files without a header: columns by their numbers. */
export function layoutByNumber(mapping: Mapping): Layout {
  const time = timeColumns(mapping).map(placeOf)
  const targets = mapping.targets.map(({ columns }) => columns.map(({ column }) => placeOf(column)))
  const least = Math.max(...time, ...targets.flat()) + 1
  const { columnCount } = mapping
  return { width: columnCount ?? least, isOpen: columnCount === undefined, time, targets }
}

const placeOf = (column: ColumnName): number => Number(column) - 1

/** The row that a line is, or why it is none; undefined for a blank line. */
export function takeRow(fields: Fields, line: Line, layout: Layout): Row | Problem | undefined {
  if (line.isBlank) return undefined
  const reason = fields.split(line)
  return reason === undefined ? rowOf(fields, layout) : { reason }
}

/** The row that the fields of a line are, or how their number differs from what is expected. */
export function rowOf(fields: Fields, layout: Layout): Row | Problem {
  const { count } = fields
  const { width, isOpen } = layout
  if (count === width || (isOpen && count > width)) return { fields, layout }
  if (count > width && fields.areBlankFrom(width)) return { fields, layout }
  const expected = isOpen ? `at least ${width}` : String(width)
  return {
    reason: `it has ${count} ${count === 1 ? 'column' : 'columns'}, expected ${expected}`,
  }
}

function timeColumns({ time }: Mapping): ColumnName[] {
  if (time.kind === 'text') return [...time.columns]
  if (time.kind === 'epoch') return [time.column]
  const { year, dayOfYear, hourMinute, second } = time
  return [year, dayOfYear, hourMinute, ...(second === undefined ? [] : [second])]
}

function findColumn(column: ColumnName, header: readonly string[], line: number): number {
  if (typeof column === 'number') {
    if (column <= header.length) return column - 1
    throw new RefusedError(
      'invalid',
      `line ${line}: the header has no column ${column}, it has ${header.length}`,
    )
  }
  const given = column.trim()
  // As an export writes a header that a spreadsheet could run.
  const name = header.includes(given) ? given : escapeFormula(given)
  const at = header.indexOf(name)
  if (at !== -1 && header.indexOf(name, at + 1) === -1) return at
  if (at !== -1)
    throw new RefusedError(
      'invalid',
      `line ${line}: the header has more than one column "${name}"; name it by its number`,
    )
  const isGarbled = header.some((text) => text.includes('\u{fffd}'))
  const hint = isGarbled
    ? '; it holds bytes that are not UTF-8, so perhaps its encoding is latin1'
    : didYouMean(given, header)
  throw new RefusedError(
    'invalid',
    `line ${line}: the header has no column "${shorten(given)}"${hint}`,
  )
}
