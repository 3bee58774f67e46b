import type { Database, Statement } from 'better-sqlite3'
import { withoutHints } from './without-hints.ts'

/** Filters make ever new texts: a full map is emptied, and frequent statements are prepared again. */
const MAXIMUM = 500

/** The prepared statements of a connection, by their text. */
export class Statements {
  readonly #database: Database
  readonly #rowsAs: 'tuples' | 'objects'
  readonly #prepared = new Map<string, Statement>()

  constructor(database: Database, rowsAs: 'tuples' | 'objects' = 'tuples') {
    this.#database = database
    this.#rowsAs = rowsAs
  }

  /** The caller names the type of the rows: the only place where rows of SQLite get a type. */
  get<Row>(sql: string): Statement<unknown[], Row> {
    const statement = this.#prepared.get(sql) ?? this.#prepare(sql)
    return statement as Statement<unknown[], Row>
  }

  all<Row extends unknown[]>(sql: string, ...values: readonly unknown[]): Row[] {
    return this.get<Row>(sql).all(...values)
  }

  #prepare(sql: string): Statement {
    const statement = this.#database.prepare(withoutHints(sql))
    if (this.#rowsAs === 'tuples' && statement.reader) statement.raw()
    if (this.#prepared.size >= MAXIMUM) this.#prepared.clear()
    this.#prepared.set(sql, statement)
    return statement
  }
}
