import type { Pool } from 'pg'
import { RefusedError } from '../../errors/refused-error.ts'
import { migratedError } from '../migration.ts'
import { explain } from './connection/postgres-errors.ts'
import { DATABASE_VERSION } from './migrations/database-version.ts'

const INTERVAL_MILLISECONDS = 5_000

const LOOK = `select version, pg_database_size(current_database()) as bytes from schema_version`

/** Looks every five seconds whether the database answers, has the version of this program, and its size. */
export class DatabaseWatch implements Disposable {
  readonly #pool: Pool
  readonly #timer: NodeJS.Timeout
  #problem: RefusedError | undefined
  #bytes = 0

  constructor(pool: Pool) {
    this.#pool = pool
    this.#timer = setInterval(() => void this.look(), INTERVAL_MILLISECONDS).unref()
  }

  /** Why nothing can be read. */
  get problem(): RefusedError | undefined {
    return this.#problem
  }

  /** The bytes of the database when it was looked at. */
  get bytes(): number {
    return this.#bytes
  }

  async look(): Promise<void> {
    try {
      const { rows } = await this.#pool.query<{ version: number; bytes: number }>(LOOK)
      const [found] = rows
      this.#bytes = found?.bytes ?? 0
      const isNewer = found !== undefined && found.version > DATABASE_VERSION
      this.#problem = isNewer ? migratedError(found.version, DATABASE_VERSION) : undefined
    } catch (error) {
      const explained = explain(error, 'read')
      this.#problem =
        explained instanceof RefusedError
          ? explained
          : new RefusedError('unavailable', 'The database cannot be read.', { cause: error })
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
