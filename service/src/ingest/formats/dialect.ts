import type { Line } from '../../encodings/csv/line.ts'
import type { Problem, Row } from './layout.ts'

/** What a line is: a row, a line to skip, or one that cannot be read. */
export type Taken = Row | Problem | undefined

/** Tells the lines of a file apart: header, rows, and what is neither. */
export interface Dialect {
  /** Refuses the file as a whole when its first header does not fit the mapping. */
  take(line: Line): Taken

  /** The first byte of the header in force: from there on it is read again. */
  readonly headerStart: number

  /** The line that names the columns; undefined before it came, and where there is none. */
  readonly header: string | undefined

  /** Reads what comes as rows of a header that was read before. */
  resume(header: string | undefined): void

  /** Whether what comes next is a row. */
  readonly isReady: boolean
}

export const isRow = (taken: Taken): taken is Row => taken !== undefined && 'fields' in taken
