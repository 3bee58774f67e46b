import type { Database, Statement } from 'better-sqlite3'
import type { RefusedError } from '../../domain/refused-error.ts'
import type { Query } from '../sql/engine.ts'
import { DATABASE_VERSION, migratedError, readVersion } from './migrate.ts'

/**
 * Reads in short transactions, so that no reader ever holds the log back.
 *
 * Once a newer program has migrated the database, every read is refused.
 */
export class Reader {
  #database: Database
  #refusal: RefusedError | undefined
  /** Statements of our own texts, which are few. */
  readonly #prepared = new Map<string, Statement>()
  readonly #objects = new Map<string, Statement>()

  constructor(database: Database) {
    this.#database = database
  }

  all<Row>({ sql, parameters }: Query): Row[] {
    return this.#guard(() => {
      let statement = this.#objects.get(sql)
      if (statement === undefined) {
        statement = this.#database.prepare(withoutHints(sql))
        // Texts made by filters differ without end; those of the hot paths come again soon.
        if (this.#objects.size >= 200) this.#objects.clear()
        this.#objects.set(sql, statement)
      }
      return statement.all(...parameters) as Row[]
    })
  }

  /** The first row as a tuple, in the order of its columns. */
  row<Row extends unknown[]>(sql: string, ...parameters: readonly unknown[]): Row | undefined {
    return this.#guard(() => this.#tuples(sql).get(...parameters) as Row | undefined)
  }

  /** Every row as a tuple. */
  rows<Row extends readonly unknown[]>(sql: string, ...parameters: readonly unknown[]): Row[] {
    return this.#guard(() => this.#tuples(sql).all(...parameters) as unknown as Row[])
  }

  /** Several statements that see the data at one moment; nothing may be awaited between them. */
  snapshot<Result>(read: () => Result): Result {
    this.#guard(() => this.#tuples('begin').run())
    try {
      return read()
    } finally {
      this.#tuples('commit').run()
    }
  }

  /** Why nothing can be read any more, after a look at the database. */
  look(): RefusedError | undefined {
    const version = readVersion(this.#database)
    if (version > DATABASE_VERSION) this.#refusal ??= migratedError(version)
    return this.#refusal
  }

  /** Goes on with another connection to the same file. */
  replace(database: Database): void {
    this.#database = database
    this.#prepared.clear()
    this.#objects.clear()
  }

  #guard<Result>(read: () => Result): Result {
    if (this.#refusal !== undefined) throw this.#refusal
    try {
      return read()
    } catch (error) {
      throw this.look() ?? error
    }
  }

  #tuples(sql: string): Statement {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(withoutHints(sql))
      if (statement.reader) statement.raw()
      this.#prepared.set(sql, statement)
    }
    return statement
  }
}

/**
 * SQLite, built with statistics, takes a bare `?` for a hint to its planner and prepares such a
 * statement again at every call: 0.07 ms of the 0.12 that the newest record costs. `+?` is an
 * expression and no hint.
 */
export const withoutHints = (sql: string): string =>
  sql.replaceAll(/([=<>]|\b(?:limit|offset|between|and)) \?/g, '$1 +?')
