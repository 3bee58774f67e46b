import type { Database } from 'better-sqlite3'
import { DamageError } from '../../../errors/damage-error.ts'
import type { RefusedError } from '../../../errors/refused-error.ts'
import type { CompiledQuery } from 'kysely'
import { findStillFile, type StillFile } from '../log/still-file.ts'
import { DATABASE_VERSION, migratedError, readVersion } from '../migrations/migrate.ts'
import { Statements } from './statements.ts'

/**
 * Reads in short transactions, so that no reader ever holds the log back.
 *
 * Once a newer program has migrated the database, every read is refused.
 */
export class Reader {
  #database: Database
  #still: StillFile | undefined
  #refusal: RefusedError | undefined
  #tuples: Statements
  #objects: Statements

  constructor(database: Database) {
    this.#database = database
    this.#still = findStillFile(database)
    this.#tuples = new Statements(database)
    this.#objects = new Statements(database, 'objects')
  }

  all<Row>({ sql, parameters }: CompiledQuery<Row>): Row[] {
    return this.#guard(sql, () => this.#objects.get<Row>(sql).all(...parameters))
  }

  first<Row>({ sql, parameters }: CompiledQuery<Row>): Row | undefined {
    return this.#guard(sql, () => this.#objects.get<Row>(sql).get(...parameters))
  }

  /** The first row as a tuple, in the order of its columns. */
  row<Row extends unknown[]>(sql: string, ...parameters: readonly unknown[]): Row | undefined {
    return this.#guard(sql, () => this.#tuples.get<Row>(sql).get(...parameters))
  }

  /** Every row as a tuple. */
  rows<Row extends readonly unknown[]>(sql: string, ...parameters: readonly unknown[]): Row[] {
    return this.#guard(sql, () => this.#tuples.get<Row>(sql).all(...parameters))
  }

  /** Several statements that see the data at one moment; nothing may be awaited between them. */
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

  /** Why nothing can be read any more, after a look at the database. */
  look(): RefusedError | undefined {
    const version = readVersion(this.#database)
    if (version > DATABASE_VERSION) this.#refusal ??= migratedError(version)
    return this.#refusal
  }

  /** Goes on with another connection to the same file. */
  replace(database: Database): void {
    this.#database = database
    this.#still = findStillFile(database)
    this.#tuples = new Statements(database)
    this.#objects = new Statements(database, 'objects')
  }

  /** In a malformed file even this may fail; what failed first is what is said. */
  #rollBack(): void {
    try {
      if (this.#database.inTransaction) this.#database.exec('rollback')
    } catch {
      // The next snapshot says so again.
    }
  }

  #guard<Result>(sql: string, read: () => Result): Result {
    if (this.#refusal !== undefined) throw this.#refusal
    try {
      const result = read()
      this.#still?.require()
      return result
    } catch (error) {
      // What looks like damage may be what somebody wrote meanwhile.
      this.#still?.require()
      if (isMalformed(error)) throw malformedAt(sql, error as { code: string })
      throw this.look() ?? error
    }
  }
}

/** Codes with which SQLite says that the file itself is damaged. */
export const isMalformed = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { code?: unknown }).code))

/** Says of a malformed file which table was read. */
function malformedAt(sql: string, { code }: { code: string }): DamageError {
  const [, table = 'it'] = /\b(?:from|into|update)\s+(\w+)/.exec(sql) ?? []
  return new DamageError(`the database file is malformed where ${table} is read (${code})`)
}
