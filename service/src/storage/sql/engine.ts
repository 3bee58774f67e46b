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
import type { DamageError } from '../../errors/damage-error.ts'
import type { RefusedError } from '../../errors/refused-error.ts'
import type { RecordChecks } from './record-checks.ts'
import type { Dialect } from './dialect.ts'
import type { GuardedSpan } from './guarded-tables.ts'
import type { Outcome, Statement } from './statement.ts'
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

/** A text that an engine gives as bytes or as a string. */
export type TextBytes = Uint8Array | string | null

export const bytesOf = (text: TextBytes | undefined): Uint8Array | null =>
  typeof text === 'string' ? Buffer.from(text) : (text ?? null)

/** Reads rows. A snapshot reads one state of the data, everything else the present one. */
export interface SqlReader {
  readonly dialect: Dialect
  readonly recordChecks: RecordChecks

  /** Throws a `DamageError` where rows of a guarded table are not those that were written. */
  check(span: GuardedSpan): void

  /** The first row as a tuple, in the order of its columns. */
  row<Row extends unknown[]>(sql: string, ...values: readonly unknown[]): Promise<Row | undefined>

  /** Every row as a tuple. */
  rows<Row extends readonly unknown[]>(sql: string, ...values: readonly unknown[]): Promise<Row[]>

  all<Row>(query: CompiledQuery<Row>): Promise<Row[]>

  /** The first row. */
  first<Row>(query: CompiledQuery<Row>): Promise<Row | undefined>

  /** Runs several statements on one state of the data; `read` waits for nothing else. */
  snapshot<Result>(read: (reader: SqlReader) => Promise<Result>): Promise<Result>
}

/** Writes rows. */
export interface SqlWriter {
  /** Runs all statements or none; resolves when they are durable. */
  write(statements: readonly Statement[]): Promise<Outcome[]>

  /** Notes that a write could not be computed, since the data that it meets cannot be read. */
  noteFailure(error: RefusedError | DamageError): void
}

/** What the stores of this folder need of a database. */
export interface SqlEngine extends SqlReader, SqlWriter {
  /** Builds queries, and runs none. */
  readonly build: Kysely<Tables>
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
