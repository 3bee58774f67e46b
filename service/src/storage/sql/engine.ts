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

type TableRows = { [Table in keyof Tables]: Selectable<Tables[Table]> }

/** A row with some columns of a table: after a column is renamed, a query written by hand does not compile. */
export type Columns<Table extends keyof TableRows, Names extends keyof TableRows[Table]> = Pick<
  TableRows[Table],
  Names
>

/** The same as a tuple. */
export type Tuple<
  Table extends keyof TableRows,
  Names extends readonly (keyof TableRows[Table])[],
> = {
  -readonly [At in keyof Names]: TableRows[Table][Names[At]]
}

/** A query that is written by hand, and the type of its rows. */
export const rawQuery = <Row>(
  sql: string,
  parameters: readonly unknown[] = [],
): CompiledQuery<Row> => CompiledQuery.raw(sql, [...parameters])

/** A compiled query with other values. */
export const withParameters = <Row>(
  query: CompiledQuery<Row>,
  parameters: readonly unknown[],
): CompiledQuery<Row> => ({ ...query, parameters })

/** A statement that runs once for every `width` values. */
export type Statement = {
  sql: string
  width: number
  values: readonly unknown[]
  /** The values as columns of the same length, in place of `values`. */
  columns?: readonly (readonly unknown[])[]
  /** The values as rows that are made a few at a time, in place of `values`. */
  rows?: { count: number; slice(from: number, to: number): readonly (readonly unknown[])[] }
  /**
   * Runs once for each chunk instead: with all of `values`, the index of the chunk, its checksum and
   * its bytes. Their memory is transferred to the writer, not copied, until the write has ended.
   */
  chunks?: SampleChunks
  /**
   * The open records that the statement changes, so that their checksums are changed too. The values
   * are records (source, instant, text), spans (source and two instants, both included), or anything
   * that names whole sources.
   */
  checked?: { kind: RecordKind; as: 'records' | 'spans' | 'sources' }
  /**
   * The row of values with which `sql` ends. It is repeated, so that one run inserts many rows:
   * triggers cost time for each run, not for each row. The rows must be independent of each other.
   */
  repeated?: string
  /** Statements that run with the same values where `sql` changed no row. */
  otherwise?: string | readonly string[]
  /** The number of rows that must change; another number is a `ConflictError` (`rows`) of the write. */
  expected?: number
  /** `sql` is a query that must return a row for each row of values, or the write fails with this conflict. */
  guards?: 'alarms' | 'records'
}

/** Statements that run in the transaction of a write of records. */
export type WriteExtras = {
  /** They run first. */
  guards?: readonly Statement[]
  statements?: readonly Statement[]
  /** How often the write is tried where a sealed day changes meanwhile. */
  attempts?: number
}

/** The number of rows that `sql` and the first of `otherwise` changed, and the id of the last new row. */
export type Outcome = { changed: number; otherwise: number; lastId: number }

/** The id of the row that a statement inserted. */
export function newId(outcome: Outcome | undefined): number {
  if (outcome === undefined) throw new Error('an insert has no outcome')
  return outcome.lastId
}

/** What the stores of this folder need of a database. */
export interface SqlEngine {
  /** Builds queries, and runs none. */
  readonly build: Kysely<Tables>

  all<Row>(query: CompiledQuery<Row>): Promise<Row[]>

  /** The first row. */
  first<Row>(query: CompiledQuery<Row>): Promise<Row | undefined>

  /** Throws a `DamageError` where rows of a guarded table are not those that were written. */
  check(span: GuardedSpan): void

  /** Runs all statements or none; resolves when they are durable. */
  write(statements: readonly Statement[]): Promise<Outcome[]>
}

/** The statement of a built query. */
export const statement = ({ sql, parameters }: CompiledQuery): Statement => ({
  sql,
  width: parameters.length,
  values: parameters,
})

const QUERY_COMPILERS = {
  sqlite: () => ({ adapter: new SqliteAdapter(), compiler: new SqliteQueryCompiler() }),
  postgres: () => ({ adapter: new PostgresAdapter(), compiler: new PostgresQueryCompiler() }),
}

/** Builds queries in the SQL of an engine. */
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
