import type { Problem } from './fields.ts'
import type { Layout } from './layout.ts'
import type { Line } from './lines.ts'

/** A row whose columns are known. */
export type Fields = { fields: readonly string[]; layout: Layout }

/** What a line is: a row, a line to pass over, or one that cannot be taken. */
export type Taken = Fields | Problem | undefined

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

export const isRow = (taken: Taken): taken is Fields => taken !== undefined && 'fields' in taken
