import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RefusedError } from '../errors/refused-error.ts'
import { environment } from '../config/env.ts'
import { codeOf } from '../errors/thrown.ts'
import { requireRewritten } from '../site/meaning/rewriting.ts'
import { DATABASE_FILE } from '../storage/sqlite/connection/main-connection.ts'
import { openSqlite, type SqliteOptions } from '../storage/sqlite/open.ts'
import type { Storage } from '../storage/storage.ts'
import type { CommandContext } from './command.ts'

type OpenOptions = Omit<SqliteOptions, 'synchronous'> & {
  /** The setting `storage.synchronous`. */
  synchronous?: string
  /** Whether a missing database is created; without it, it is refused. */
  mayCreate?: boolean
  /** Whether some records may be rewritten and others not; without it, this is refused. */
  mayBeRewriting?: boolean
}

/**
 * Opens the data folder; the service and other commands may use it at the same time.
 *
 * A database that is older than the program is refused, unless the command may migrate it.
 */
export async function openStorage(
  { dataFolder, printError }: Pick<CommandContext, 'dataFolder' | 'printError'>,
  { synchronous = 'full', mayCreate = false, mayBeRewriting = false, ...options }: OpenOptions = {},
): Promise<Storage> {
  if (environment['PLUMBLINE_STORAGE'])
    throw new RefusedError(
      'invalid',
      'PLUMBLINE_STORAGE is set, but this version stores data in the data folder only. Unset it.',
    )
  if (!mayCreate) await requireDatabase(dataFolder)
  await using stack = new AsyncDisposableStack()
  const storage = await openSqlite(dataFolder, {
    migrating: 'if-new',
    warn: printError,
    yieldsToService: options.isServed !== true,
    ...options,
    synchronous: synchronous === 'off' ? 'OFF' : 'FULL',
  })
  stack.use(storage)
  if (!mayBeRewriting) await requireRewritten(storage.changes)
  stack.move()
  return storage
}

async function requireDatabase(folder: string): Promise<void> {
  const size = await stat(join(folder, DATABASE_FILE)).then(
    (found) => found.size,
    (error) => (codeOf(error) === 'ENOENT' ? 0 : undefined),
  )
  if (size === 0)
    throw new RefusedError(
      'absent',
      `There is no database in ${folder}: check --data; "plumbline serve" and "plumbline site apply" create one.`,
    )
}
