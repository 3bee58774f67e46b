import type { Pool } from 'pg'
import { RefusedError } from '../../errors/refused-error.ts'
import { migratedError } from '../migration.ts'
import { explain, RETRY_SECONDS } from './connection/postgres-errors.ts'
import { findMissingRights, type MissingRights } from './connection/privileges.ts'

const INTERVAL_MILLISECONDS = 5_000

/** Seconds that a commit may wait for a standby before no other one is begun. */
const COMMIT_SECONDS = 5

/** A role sees what its own sessions wait for. */
const LOOK = `select version, pg_database_size(current_database()) as bytes,
    (select count(*) from pg_stat_activity where wait_event = 'SyncRep'
      and datname = current_database()
      and query_start < clock_timestamp() - interval '${COMMIT_SECONDS} seconds') as waiting
  from schema_version`

/**
 * Looks every five seconds whether the database answers, has the version of this program, commits and
 * gives the role its rights, and for its size.
 */
export class DatabaseWatch implements Disposable {
  readonly #pool: Pool
  readonly #timer: NodeJS.Timeout
  #problem: RefusedError | undefined
  #migrated: RefusedError | undefined
  readonly #newest: number
  #pending = 0
  #isWaiting = false
  #missing: MissingRights | undefined
  #bytes = 0

  constructor(pool: Pool, newest: number) {
    this.#pool = pool
    this.#newest = newest
    this.#timer = setInterval(() => void this.look(), INTERVAL_MILLISECONDS).unref()
  }

  /** Why nothing, or not everything, can be read. */
  get problem(): RefusedError | undefined {
    return this.#problem ?? (this.#missing?.preventReading === true ? this.lack : undefined)
  }

  /** Why not everything can be read or written: the role lacks rights. What it may do goes on. */
  get lack(): RefusedError | undefined {
    if (this.#missing === undefined) return undefined
    return new RefusedError('unavailable', this.#missing.sentence, {
      retryAfterSeconds: RETRY_SECONDS,
    })
  }

  /**
   * Why nothing may be written, though it can be read: a newer program has migrated the tables, or
   * commits wait for a standby that is away.
   */
  get stall(): RefusedError | undefined {
    return this.#migrated ?? (this.#isWaiting ? STALL : undefined)
  }

  /** The bytes of the database when it was looked at. */
  get bytes(): number {
    return this.#bytes
  }

  /** The migrations that were pending when it was looked at. */
  get pending(): number {
    return this.#pending
  }

  async look(): Promise<void> {
    try {
      const { rows } = await this.#pool.query<{ version: number; bytes: number; waiting: number }>(
        LOOK,
      )
      const [found] = rows
      this.#bytes = found?.bytes ?? 0
      this.#isWaiting = (found?.waiting ?? 0) > 0
      const version = found?.version ?? this.#newest
      this.#pending = Math.max(0, this.#newest - version)
      this.#migrated = version > this.#newest ? migratedError(version, this.#newest) : undefined
      this.#missing = await findMissingRights(this.#pool)
      this.#problem = this.#migrated
    } catch (error) {
      this.#isWaiting = false
      this.#missing = undefined
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

const STALL = new RefusedError(
  'unavailable',
  'Nothing can be stored at the moment: the database does not commit, since it waits for a synchronous standby.',
  { retryAfterSeconds: RETRY_SECONDS },
)
