import type { Line } from '../../encodings/csv/line.ts'

/** Divides the bytes of a file into lines, or into records as lines of text. */
export interface RowSplitter {
  /** Returns the lines that end in these bytes; they may share their memory. */
  push(bytes: Uint8Array): Line[]

  /** Returns the last line if it has no end. */
  end(): Line | undefined

  /** The number of bytes that were skipped as space that the writer reserved. */
  readonly nulBytes: number
}
