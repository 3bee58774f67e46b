import type { Dialect } from '../dialect.ts'
import type { SqlReader, SqlWriter } from '../engine.ts'
import type { SealedPart } from '../../sealed-days/sealed-part.ts'
import type { RecordKind } from '../../stores/records.ts'
import { readOpenLists } from '../records/read-open-lists.ts'
import { readParts, type OpenRows } from '../sealed-days/sealed-parts.ts'
import { isGuarded } from '../guarded-tables.ts'
import type { SetStatement, Statement } from '../statement.ts'

export type ColumnType = SetStatement['types'][number]

export type Column = { name: string; type: ColumnType }

/** A value of a row as both engines give it. */
export type Value = number | string | Uint8Array | null

export type Row = readonly Value[]

/** What the engines write differently about copying their tables. */
export type CopyDialect = {
  /** The columns of every table. */
  listColumns(reader: Pick<SqlReader, 'rows'>): Promise<Map<string, Column[]>>

  /**
   * For each of these tables a text that is another one after any change of its rows was committed; without
   * those of which the engine cannot tell.
   */
  readStamps(
    reader: Pick<SqlReader, 'rows'>,
    tables: readonly string[],
  ): Promise<ReadonlyMap<string, string>>

  /** The last id that a table gave out; 0 where it gives out none. */
  findLastId(reader: Pick<SqlReader, 'rows'>, table: string, key: string): Promise<number>

  /** Lets a table give out no id up to this one. */
  setLastId(table: string, key: string, last: number): Statement[]
}

/** The tables of a storage, to be copied to another one or compared with it. */
export interface CopySide {
  readonly dialect: Dialect

  /** Every row as a tuple. */
  rows<Row extends readonly unknown[]>(sql: string, ...values: readonly unknown[]): Promise<Row[]>

  /** Runs all statements or none. */
  write(statements: readonly Statement[]): Promise<void>

  /** The columns of every table. */
  listColumns(): Promise<Map<string, Column[]>>

  readStamps(tables: readonly string[]): Promise<ReadonlyMap<string, string>>

  /** Throws a `DamageError` where the rows of a table are not those that were written. */
  check(table: string): void

  /** The open records of a source; throws a `DamageError` where they are not those that were written. */
  readOpenLists(kind: RecordKind, source: number): AsyncGenerator<OpenRows>

  /** The sealed parts of a source, of which nothing is checked. */
  readParts(kind: RecordKind, source: number): AsyncGenerator<SealedPart>

  findLastId(table: string, key: string): Promise<number>

  setLastId(table: string, key: string, last: number): Statement[]
}

/** The tables of an engine. */
export const copySide = (engine: SqlReader & SqlWriter, copying: CopyDialect): CopySide => ({
  dialect: engine.dialect,
  rows: (sql, ...values) => engine.rows(sql, ...values),
  async write(statements) {
    await engine.write(statements)
  },
  listColumns: () => copying.listColumns(engine),
  readStamps: (tables) => copying.readStamps(engine, tables),
  check(table) {
    if (isGuarded(table)) engine.check({ table })
  },
  readOpenLists: (kind, source) => readOpenLists(engine, kind, source),
  readParts: (kind, source) => readParts(engine, kind, source),
  findLastId: (table, key) => copying.findLastId(engine, table, key),
  setLastId: copying.setLastId,
})
