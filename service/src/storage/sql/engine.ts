import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteQueryCompiler,
  type Selectable,
} from 'kysely'
import type { SampleChunks } from '../../domain/vibration/sample-chunks.ts'
import type { GuardedSpan } from './guarded-tables.ts'
import type { RecordKind } from '../storage.ts'
import type { Tables } from './tables.ts'

type Rows = { [Table in keyof Tables]: Selectable<Tables[Table]> }

/** A row with some columns of a table: a query by hand names them, so that a renamed one does not compile. */
export type Columns<Table extends keyof Rows, Names extends keyof Rows[Table]> = Pick<
  Rows[Table],
  Names
>

/** The same as a tuple. */
export type Tuple<Table extends keyof Rows, Names extends readonly (keyof Rows[Table])[]> = {
  -readonly [At in keyof Names]: Rows[Table][Names[At]]
}

/** A query that is written by hand, and the type of its rows. */
export const rawQuery = <Row>(
  sql: string,
  parameters: readonly unknown[] = [],
): CompiledQuery<Row> => CompiledQuery.raw(sql, [...parameters])

/** A query that was compiled once, with other values. */
export const withParameters = <Row>(
  query: CompiledQuery<Row>,
  parameters: readonly unknown[],
): CompiledQuery<Row> => ({ ...query, parameters })

/** A statement that is run once for every `width` values. */
export type Statement = {
  sql: string
  width: number
  values: readonly unknown[]
  /** Many values as columns of the same length, a row of them for each run; `values` is empty then. */
  columns?: readonly (readonly unknown[])[]
  /** Many values as rows that are made when they are handed over, a few at a time; likewise. */
  rows?: { count: number; at(index: number): readonly unknown[] }
  /**
   * Run once for each chunk instead: with all of `values`, the chunk's place from 0, its checksum
   * and its bytes. They are lent to the writer, not copied, and are back when it has answered.
   */
  chunks?: SampleChunks
  /**
   * What open records the statement changes: the values name them by source, time and text, or as
   * spans of a source from one instant to another, both inclusive, or whole sources in any way.
   * Their checksums follow.
   */
  checked?: { kind: RecordKind; as: 'records' | 'spans' | 'sources' }
  /**
   * The row of values with which `sql` ends: repeated, one run inserts many rows. Triggers make each
   * run dear, not each row. No row may hang on those before it.
   */
  repeated?: string
  /** Run with the same values where `sql` changed no row; the outcome counts what the first does. */
  otherwise?: string | readonly string[]
  /** The whole write is refused with a `ConflictError` (`rows`) when another number of rows changes. */
  expected?: number
  /** `sql` is a query: the whole write is refused with a `ConflictError` of this reason unless it gives a row. */
  guards?: 'alarms' | 'records'
}

/** What is written with records, in the same transaction. */
export type ExtraStatements = {
  /** Without them nothing is written. */
  guards?: readonly Statement[]
  statements?: readonly Statement[]
  /** So often it is tried where a sealed day changes meanwhile. */
  attempts?: number
}

/** How many rows `sql` and `otherwise` changed, and the number that the last new row was given. */
export type Outcome = { changed: number; otherwise: number; lastId: number }

/** The number that an insert gave to its row. */
export function newId(outcome: Outcome | undefined): number {
  if (outcome === undefined) throw new Error('an insert has no outcome')
  return outcome.lastId
}

/** What the shared SQL needs of a database. */
export interface SqlEngine {
  /** Builds queries; nothing is run through it. */
  readonly build: Kysely<Tables>

  all<Row>(query: CompiledQuery<Row>): Promise<Row[]>

  /** The first row. */
  first<Row>(query: CompiledQuery<Row>): Promise<Row | undefined>

  /** Throws a `DamageError` where rows of a guarded table are not those that were written. */
  check(span: GuardedSpan): void

  /** Runs all statements or none, and resolves once they would survive a power cut. */
  write(statements: readonly Statement[]): Promise<Outcome[]>
}

export const statement = ({ sql, parameters }: CompiledQuery): Statement => ({
  sql,
  width: parameters.length,
  values: parameters,
})

const QUERY_COMPILERS = {
  sqlite: () => ({ adapter: new SqliteAdapter(), compiler: new SqliteQueryCompiler() }),
  postgres: () => ({ adapter: new PostgresAdapter(), compiler: new PostgresQueryCompiler() }),
}

export function queryBuilder(engine: keyof typeof QUERY_COMPILERS): Kysely<Tables> {
  const { adapter, compiler } = QUERY_COMPILERS[engine]()
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => new DummyDriver(),
      createQueryCompiler: () => compiler,
      createIntrospector: () => {
        throw new Error('queries are only built here')
      },
    },
  })
}
