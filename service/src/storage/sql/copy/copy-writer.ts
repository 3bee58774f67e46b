import type { Statement } from '../statement.ts'
import type { CopySide } from './copy-side.ts'

const ROWS_AT_ONCE = 5_000
const BYTES_AT_ONCE = 8_000_000

/** Joins statements to transactions of some thousand rows. */
export class CopyWriter {
  readonly #side: CopySide
  #statements: Statement[] = []
  #rows = 0
  #bytes = 0
  /** The rows that were written or deleted. */
  written = 0

  constructor(side: CopySide) {
    this.#side = side
  }

  /** Runs the statements that wait as soon as they are many; all of these are in one transaction. */
  async add(statements: readonly Statement[]): Promise<void> {
    for (const statement of statements) {
      const rows = statement.values.length / Math.max(1, statement.width)
      this.#statements.push(statement)
      this.#rows += rows
      this.written += rows
      for (const value of statement.values)
        this.#bytes += value instanceof Uint8Array || typeof value === 'string' ? value.length : 8
    }
    if (this.#rows >= ROWS_AT_ONCE || this.#bytes >= BYTES_AT_ONCE) await this.flush()
  }

  async flush(): Promise<void> {
    const statements = this.#statements
    this.#statements = []
    this.#rows = 0
    this.#bytes = 0
    if (statements.length > 0) await this.#side.write(statements)
  }
}
