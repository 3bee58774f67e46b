import type { Database, Statement } from 'better-sqlite3'
import { withoutHints } from './without-hints.ts'

/** The statements of a connection that were prepared once. */
export class Statements {
  readonly #database: Database
  readonly #prepared = new Map<string, Statement>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Rows of a query come as tuples. */
  get(sql: string): Statement {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(withoutHints(sql))
      if (statement.reader) statement.raw()
      this.#prepared.set(sql, statement)
    }
    return statement
  }

  all<Row extends unknown[]>(sql: string, ...values: readonly unknown[]): Row[] {
    return this.get(sql).all(...values) as Row[]
  }
}
