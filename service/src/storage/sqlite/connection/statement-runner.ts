import type { Database, Statement as Prepared } from 'better-sqlite3'
import { chunkOf } from '../../../domain/vibration/sample-chunks.ts'
import { ConflictError } from '../../../errors/conflict-error.ts'
import type { Outcome, Statement } from '../../sql/statement.ts'
import { storedValues } from '../../sql/stored-texts.ts'
import { recordRows, spanRows } from '../integrity/checked-rows.ts'
import { CheckedWrites } from '../integrity/checked-writes.ts'
import { requireChecked } from '../integrity/require-checked.ts'
import { insertTogether } from './insert-together.ts'
import { withoutHints } from './without-hints.ts'

type RowRun = (row: readonly unknown[]) => void

/** Runs statements on the connection that writes. Each SQL text is prepared once. */
export class StatementRunner {
  readonly #database: Database
  readonly #prepared = new Map<string, Prepared>()
  #checkedWrites: CheckedWrites | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Has to be called after the begin of a transaction. */
  begun(): void {
    this.#checkedWrites?.begin()
  }

  /** Has to be called after every rollback. */
  rolledBack(): void {
    this.#checkedWrites?.rolledBack()
  }

  run(sql: string): void {
    this.#prepare(sql).run()
  }

  readVersion(): number {
    return Number(this.#prepare('pragma user_version').pluck().get())
  }

  /** Runs a statement once for each row of its values; throws a `ConflictError` where it says so. */
  readonly execute = (statement: Statement): Outcome => {
    const { sql, otherwise, expected, guards, mustInsert = false, conflict = 'rows' } = statement
    const outcome = { changed: 0, otherwise: 0, lastId: 0 }
    if (statement.locks !== undefined) return outcome
    requireChecked(statement)
    if (sql.startsWith('pragma')) {
      // A prepared pragma takes its first step only.
      this.#database.exec(sql)
      return outcome
    }
    const first = this.#prepare(sql)
    if (guards !== undefined) {
      eachRow(statement, 0, (row) => {
        if (first.get(...row) === undefined)
          throw new ConflictError(guards, `another writer has changed ${guards}`)
      })
      return outcome
    }
    const others =
      otherwise === undefined ? [] : [otherwise].flat().map((text) => this.#prepare(text))
    this.#runRows(statement, outcome, (row) => {
      const { changes, lastInsertRowid } = first.run(...row)
      outcome.changed += changes
      outcome.lastId = Number(lastInsertRowid)
      if (changes > 0) return
      if (mustInsert)
        throw new ConflictError(
          'places',
          'something is stored where a new record was to be written',
        )
      for (const [place, other] of others.entries()) {
        const more = other.run(...row)
        if (place === 0) outcome.otherwise += more.changes
      }
    })
    if (expected !== undefined && outcome.changed !== expected)
      throw new ConflictError(conflict, `${outcome.changed} rows changed, expected ${expected}`)
    return outcome
  }

  #runRows(statement: Statement, outcome: Outcome, runRow: RowRun): void {
    const { values, width, chunks, checked } = statement
    if (checked !== undefined) this.#runChecked(statement, checked, runRow)
    else if (chunks !== undefined)
      for (const [at, checksum] of chunks.checksums.entries())
        runRow([...values, at, checksum, chunkOf(chunks, at)])
    else if (width === 0) runRow([])
    else {
      const inserted = insertTogether(statement, (sql) => this.#prepare(sql), outcome)
      eachRow(statement, inserted, runRow)
    }
  }

  #runChecked(
    statement: Statement,
    { kind, as }: NonNullable<Statement['checked']>,
    runRow: RowRun,
  ): void {
    const checkedWrites = this.#openCheckedWrites()
    if (as === 'records') checkedWrites.insert(kind, recordRows(statement), runRow)
    else if (as === 'spans') checkedWrites.remove(kind, spanRows(statement), runRow)
    else {
      const rows: (readonly unknown[])[] = []
      eachRow(statement, 0, (row) => {
        runRow(row)
        rows.push(row)
      })
      checkedWrites.removeSources(kind, statement.sql, rows)
    }
  }

  #openCheckedWrites(): CheckedWrites {
    if (this.#checkedWrites === undefined) {
      this.#checkedWrites = new CheckedWrites(this.#database)
      this.#checkedWrites.begin()
    }
    return this.#checkedWrites
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(withoutHints(sql))
    this.#prepared.set(sql, statement)
    return statement
  }
}

function eachRow({ values, width }: Statement, first: number, run: RowRun): void {
  for (let at = first * width; at < values.length; at += width)
    run(storedValues(values.slice(at, at + width)))
}
