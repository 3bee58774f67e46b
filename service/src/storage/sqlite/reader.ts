import type { Database, Statement } from 'better-sqlite3'
import type { Query } from '../sql/engine.ts'

/** Reads in short transactions, one statement each, so that no reader ever holds the log back. */
export class Reader {
  readonly #database: Database
  readonly #prepared = new Map<string, Statement>()
  readonly #rows = new Map<string, Statement>()

  constructor(database: Database) {
    this.#database = database
  }

  all<Row>({ sql, parameters }: Query): Row[] {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      // Texts made by filters differ without end; those of the hot paths come again soon.
      if (this.#prepared.size >= 200) this.#prepared.clear()
      this.#prepared.set(sql, statement)
    }
    return statement.all(...parameters) as Row[]
  }

  /** The first row as a tuple, in the order of its columns. */
  row<Row extends unknown[]>(sql: string, ...parameters: readonly unknown[]): Row | undefined {
    let statement = this.#rows.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql).raw()
      this.#rows.set(sql, statement)
    }
    return statement.get(...parameters) as Row | undefined
  }
}
