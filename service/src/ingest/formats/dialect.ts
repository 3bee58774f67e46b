import type { Line } from '../../encodings/csv/line.ts'
import type { RowProblem, SplitRow } from './columns.ts'

/** A row, the reason why a line cannot be read, or undefined for a line that is not a row. */
export type LineResult = SplitRow | RowProblem | undefined

/** Reads the lines of one file format: header, rows and other lines. */
export interface Dialect {
  /** Reads the next line. Throws a `RefusedError` when the first header does not fit the mapping. */
  take(line: Line): LineResult

  /** The offset of the first byte of the header in force. */
  readonly headerStart: number

  /** The line that names the columns; undefined before it is read, and where there is none. */
  readonly header: string | undefined

  /** Continues with rows below a header that was read before. */
  resume(header: string | undefined): void

  /** Whether the next line is a row. */
  readonly isReady: boolean
}

export const isRow = (result: LineResult): result is SplitRow =>
  result !== undefined && 'fields' in result
