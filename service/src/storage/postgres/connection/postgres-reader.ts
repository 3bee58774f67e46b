import type { CompiledQuery } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { toError } from '../../../errors/thrown.ts'
import type { SqlReader } from '../../sql/engine.ts'
import type { RecordChecks } from '../../sql/record-checks.ts'
import { dialect } from '../dialect.ts'
import { countOpen } from '../integrity/count-open.ts'
import { explain } from './postgres-errors.ts'
import { asObjects, asTuples } from './prepared.ts'

/** A pool, or one connection of it. */
type Queries = Pick<PoolClient, 'query'>

/** Reads rows through a connection, or through any of a pool. */
class RowReader implements SqlReader {
  readonly dialect = dialect
  readonly recordChecks: RecordChecks
  readonly #queries: Queries

  constructor(queries: Queries) {
    this.#queries = queries
    // PostgreSQL finds damaged pages itself, where its data checksums are on.
    this.recordChecks = {
      open: () => {},
      days: () => {},
      newestOpen: () => undefined,
      inspect: (kind) => countOpen(this, kind),
    }
  }

  readonly check = (): void => {}

  async row<Row extends unknown[]>(
    sql: string,
    ...values: readonly unknown[]
  ): Promise<Row | undefined> {
    return (await this.rows<Row>(sql, ...values))[0]
  }

  async rows<Row extends readonly unknown[]>(
    sql: string,
    ...values: readonly unknown[]
  ): Promise<Row[]> {
    try {
      const { rows } = await this.#queries.query<unknown[]>(asTuples(sql, values))
      // The caller names the type of the rows, here and below.
      return rows as unknown[] as Row[]
    } catch (error) {
      return refuse(error)
    }
  }

  async all<Row>({ sql, parameters }: CompiledQuery<Row>): Promise<Row[]> {
    try {
      const { rows } = await this.#queries.query(asObjects(sql, parameters))
      return rows as Row[]
    } catch (error) {
      return refuse(error)
    }
  }

  async first<Row>(query: CompiledQuery<Row>): Promise<Row | undefined> {
    return (await this.all(query))[0]
  }

  snapshot<Result>(read: (reader: SqlReader) => Promise<Result>): Promise<Result> {
    return read(this)
  }
}

/** Reads for the shared stores. A snapshot has a connection of its own while it is read. */
export class PostgresReader extends RowReader {
  readonly #pool: Pool

  constructor(pool: Pool) {
    super(pool)
    this.#pool = pool
  }

  override async snapshot<Result>(read: (reader: SqlReader) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect().catch(refuse)
    let broken: Error | undefined
    try {
      // Sent together with the first statement.
      const begun = client.query('begin isolation level repeatable read read only')
      begun.catch(() => undefined)
      const result = await read(new RowReader(client))
      await begun.catch(refuse)
      await client.query('commit').catch(refuse)
      return result
    } catch (error) {
      broken = await rollBack(client)
      throw error
    } finally {
      client.release(broken)
    }
  }
}

function refuse(error: unknown): never {
  throw explain(error, 'read')
}

/** Ends a transaction that failed; returns the error of a connection that is of no more use. */
export async function rollBack(client: Queries): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return toError(error)
  }
}
