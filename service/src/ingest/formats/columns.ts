import { escapeFormula } from '../../encodings/formula-text.ts'
import type { Fields } from '../../encodings/csv/fields.ts'
import type { Line } from '../../encodings/csv/line.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { shorten } from '../../errors/show.ts'
import { didYouMean } from '../../schemas/near-miss.ts'
import { delimiterHint } from './delimiter-hint.ts'
import { encodingHint } from './encoding-hint.ts'
import type { ColumnName, Mapping, TargetColumn } from './mapping.ts'

/** A row split into fields, which stay valid until the next line is taken. */
export type SplitRow = { fields: Fields; layout: ColumnLayout }

/** Why a row cannot be read, as a sentence. */
export type RowProblem = { reason: string }

/** The fields of a row that a mapping reads, counted from 0. */
export type ColumnLayout = {
  /** Fields a row must have; further ones must be empty. */
  width: number
  /** Whether a row may have more fields, with any content. */
  isOpen: boolean
  time: readonly number[]
  /** For each target, the fields of its columns. */
  targets: readonly (readonly number[])[]
  /** For each target, the fields of the flags of its columns; undefined without a column of flags. */
  flags: readonly (readonly (number | undefined)[])[]
  /** The units of the fields, as the header names them; left out where it has none. */
  units?: readonly string[]
}

/** Finds the columns in a header; throws a `RefusedError` that names a missing column. */
export function readHeader(fields: Fields, line: Line, mapping: Mapping): ColumnLayout {
  const names = fields.texts(line)
  if (typeof names === 'string')
    throw new RefusedError('invalid', `line ${line.number}: the header: ${names}`)
  const header = names.map((name) => name.trim())
  while (header.at(-1) === '') header.pop()
  const hint = (name: string): string =>
    encodingHint(name, { fields, line, encoding: mapping.encoding }) ??
    (didYouMean(name, header) ||
      delimiterHint(name, { text: line.text, columns: header, delimiter: mapping.delimiter }))
  const find = (column: ColumnName) => findColumn(column, header, line.number, hint)
  return {
    width: header.length,
    isOpen: false,
    time: timeColumns(mapping).map(find),
    ...targetFields(mapping, find),
  }
}

/** Adds the units of the columns, which a line below their names has. */
export function readUnits(layout: ColumnLayout, fields: Fields, line: Line): ColumnLayout {
  const units = fields.texts(line)
  if (typeof units === 'string')
    throw new RefusedError('invalid', `line ${line.number}: the units in the header: ${units}`)
  return { ...layout, units }
}

/** The layout of a file without a header: columns by their numbers. */
export function layoutByNumber(mapping: Mapping): ColumnLayout {
  const time = timeColumns(mapping).map(placeOf)
  const { targets, flags } = targetFields(mapping, placeOf)
  const named = [...time, ...targets.flat(), ...flags.flat()].filter((field) => field !== undefined)
  const least = Math.max(...named) + 1
  const { columnCount } = mapping
  return { width: columnCount ?? least, isOpen: columnCount === undefined, time, targets, flags }
}

/** The fields of the values and of their flags. */
function targetFields(
  { targets }: Mapping,
  find: (column: ColumnName) => number,
): Pick<ColumnLayout, 'targets' | 'flags'> {
  const findFlags = ({ quality }: TargetColumn): number | undefined =>
    quality?.column === undefined ? undefined : find(quality.column)
  return {
    targets: targets.map(({ columns }) => columns.map(({ column }) => find(column))),
    flags: targets.map(({ columns }) => columns.map(findFlags)),
  }
}

const placeOf = (column: ColumnName): number => Number(column) - 1

/** Splits a line into a row; undefined for a blank line. */
export function takeRow(
  fields: Fields,
  line: Line,
  layout: ColumnLayout,
): SplitRow | RowProblem | undefined {
  if (line.isBlank) return undefined
  const reason = fields.split(line)
  return reason === undefined ? rowOf(fields, layout) : { reason }
}

/** The row of the fields of a line, if their number fits the layout. */
export function rowOf(fields: Fields, layout: ColumnLayout): SplitRow | RowProblem {
  const { count } = fields
  const { width, isOpen } = layout
  if (count === width || (isOpen && count > width)) return { fields, layout }
  if (count > width && fields.areBlankFrom(width)) return { fields, layout }
  const expected = isOpen ? `at least ${width}` : String(width)
  return {
    reason: `the row has ${count} ${count === 1 ? 'column' : 'columns'}, expected ${expected}`,
  }
}

function timeColumns({ time }: Mapping): ColumnName[] {
  if (time.kind === 'text') return [...time.columns]
  if (time.kind === 'epoch') return [time.column]
  const { year, dayOfYear, hourMinute, second } = time
  return [year, dayOfYear, hourMinute, ...(second === undefined ? [] : [second])]
}

function findColumn(
  column: ColumnName,
  header: readonly string[],
  line: number,
  hint: (name: string) => string,
): number {
  if (typeof column === 'number') {
    if (column <= header.length) return column - 1
    throw new RefusedError(
      'invalid',
      `line ${line}: the header has no column ${column}, it has ${header.length}`,
    )
  }
  const given = column.trim()
  // An export escapes a header that a spreadsheet could run as a formula.
  const name = header.includes(given) ? given : escapeFormula(given)
  const at = header.indexOf(name)
  if (at !== -1 && header.indexOf(name, at + 1) === -1) return at
  if (at !== -1)
    throw new RefusedError(
      'invalid',
      `line ${line}: the header has more than one column "${name}"; name it by its number`,
    )
  throw new RefusedError(
    'invalid',
    `line ${line}: the header has no column "${shorten(given)}"${hint(given)}`,
  )
}
