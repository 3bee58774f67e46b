import type { Database } from 'better-sqlite3'
import type { CompiledQuery } from 'kysely'
import { DamageError } from '../../../errors/damage-error.ts'
import type { RefusedError } from '../../../errors/refused-error.ts'
import { codeOf } from '../../../errors/thrown.ts'
import { storedValues } from '../../sql/stored-texts.ts'
import { findImmutableFile, type ImmutableFile } from '../write-ahead-log/immutable-file.ts'
import { DATABASE_VERSION, migratedError, readVersion } from '../migrations/migrate.ts'
import { isMalformed } from './sqlite-errors.ts'
import { Statements } from './statements.ts'

/**
 * Reads in short transactions: a long one would keep SQLite from copying the log back.
 *
 * Refuses every read once a newer program has migrated the database.
 */
export class Reader {
  #database: Database
  #immutable: ImmutableFile | undefined
  #error: RefusedError | undefined
  #tuples: Statements
  #objects: Statements

  constructor(database: Database) {
    this.#database = database
    this.#immutable = findImmutableFile(database)
    this.#tuples = new Statements(database)
    this.#objects = new Statements(database, 'objects')
  }

  all<Row>({ sql, parameters }: CompiledQuery<Row>): Row[] {
    return this.#guard(sql, () => this.#objects.get<Row>(sql).all(...storedValues(parameters)))
  }

  first<Row>({ sql, parameters }: CompiledQuery<Row>): Row | undefined {
    return this.#guard(sql, () => this.#objects.get<Row>(sql).get(...storedValues(parameters)))
  }

  /** The first row as a tuple, in the order of its columns. */
  row<Row extends unknown[]>(sql: string, ...parameters: readonly unknown[]): Row | undefined {
    return this.#guard(sql, () => this.#tuples.get<Row>(sql).get(...storedValues(parameters)))
  }

  /** Every row as a tuple. */
  rows<Row extends readonly unknown[]>(sql: string, ...parameters: readonly unknown[]): Row[] {
    return this.#guard(sql, () => this.#tuples.get<Row>(sql).all(...storedValues(parameters)))
  }

  /** Runs several statements on one state of the data. `read` must be synchronous. */
  snapshot<Result>(read: () => Result): Result {
    this.#guard('begin', () => this.#tuples.get('begin').run())
    try {
      const result = read()
      this.#guard('commit', () => this.#tuples.get('commit').run())
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** The same, for a `read` that waits for nothing but its own statements. */
  async during<Result>(read: () => Promise<Result>): Promise<Result> {
    this.#guard('begin', () => this.#tuples.get('begin').run())
    try {
      const result = await read()
      this.#guard('commit', () => this.#tuples.get('commit').run())
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** Reads the version of the database; returns why nothing can be read any more. */
  checkVersion(): RefusedError | undefined {
    const version = readVersion(this.#database)
    if (version > DATABASE_VERSION) this.#error ??= migratedError(version)
    return this.#error
  }

  /** Reads through another connection to the same file from now on. */
  replace(database: Database): void {
    this.#database = database
    this.#immutable = findImmutableFile(database)
    this.#tuples = new Statements(database)
    this.#objects = new Statements(database, 'objects')
  }

  /** In a malformed file the rollback fails too; the first error is thrown. */
  #rollBack(): void {
    try {
      if (this.#database.inTransaction) this.#database.exec('rollback')
    } catch {
      // The next snapshot fails in the same way.
    }
  }

  #guard<Result>(sql: string, read: () => Result): Result {
    if (this.#error !== undefined) throw this.#error
    try {
      const result = read()
      this.#immutable?.requireUnchanged()
      return result
    } catch (error) {
      // A file that another process writes meanwhile can look damaged.
      this.#immutable?.requireUnchanged()
      const code = codeOf(error)
      if (isMalformed(code)) throw malformedAt(sql, code)
      throw this.checkVersion() ?? error
    }
  }
}

/** Names the table that was read in a malformed file. */
function malformedAt(sql: string, code: string): DamageError {
  const [, table = 'it'] = /\b(?:from|into|update)\s+(\w+)/.exec(sql) ?? []
  return new DamageError(`the database file is malformed where ${table} is read (${code})`)
}
