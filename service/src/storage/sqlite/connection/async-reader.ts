import type { CompiledQuery } from 'kysely'
import { SerialQueue } from '../../../concurrency/serial-queue.ts'
import type { SqlReader } from '../../sql/engine.ts'
import type { GuardedSpan } from '../../sql/guarded-tables.ts'
import type { RecordChecks } from '../../sql/record-checks.ts'
import { dialect } from '../dialect.ts'
import type { Reader } from './reader.ts'

/**
 * Reads for the shared stores through the one connection that reads. Snapshots take turns, and other
 * reads wait for the end of one: they must not read a state that is older than a write they follow.
 */
export class AsyncReader implements SqlReader {
  readonly dialect = dialect
  readonly recordChecks: RecordChecks
  readonly check: (span: GuardedSpan) => void
  readonly #reader: Reader
  readonly #snapshots = new SerialQueue()
  readonly #within: SqlReader

  constructor(reader: Reader, recordChecks: RecordChecks, check: (span: GuardedSpan) => void) {
    this.#reader = reader
    this.recordChecks = recordChecks
    this.check = check
    this.#within = {
      dialect,
      recordChecks,
      check,
      row: async (sql, ...values) => reader.row(sql, ...values),
      rows: async (sql, ...values) => reader.rows(sql, ...values),
      all: async (query) => reader.all(query),
      first: async (query) => reader.first(query),
      snapshot: (read) => read(this.#within),
    }
  }

  async row<Row extends unknown[]>(
    sql: string,
    ...values: readonly unknown[]
  ): Promise<Row | undefined> {
    if (this.#snapshots.length > 0) await this.#turn()
    return this.#reader.row<Row>(sql, ...values)
  }

  async rows<Row extends readonly unknown[]>(
    sql: string,
    ...values: readonly unknown[]
  ): Promise<Row[]> {
    if (this.#snapshots.length > 0) await this.#turn()
    return this.#reader.rows<Row>(sql, ...values)
  }

  async all<Row>(query: CompiledQuery<Row>): Promise<Row[]> {
    if (this.#snapshots.length > 0) await this.#turn()
    return this.#reader.all(query)
  }

  async first<Row>(query: CompiledQuery<Row>): Promise<Row | undefined> {
    if (this.#snapshots.length > 0) await this.#turn()
    return this.#reader.first(query)
  }

  snapshot<Result>(read: (reader: SqlReader) => Promise<Result>): Promise<Result> {
    return this.#snapshots.run(() => this.#reader.during(() => read(this.#within)))
  }

  #turn(): Promise<void> {
    return this.#snapshots.run(async () => {})
  }
}
