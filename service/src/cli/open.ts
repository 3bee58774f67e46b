import { RefusedError } from '../errors/refused-error.ts'
import { environment } from '../config/env.ts'
import { openSqlite, type SqliteOptions } from '../storage/sqlite/open.ts'
import type { Storage } from '../storage/storage.ts'
import type { CommandContext } from './command.ts'

type OpenOptions = Omit<SqliteOptions, 'synchronous'> & {
  /** The setting `storage.synchronous`. */
  synchronous?: string
}

/**
 * Opens the data folder; the service and other commands may use it at the same time.
 *
 * A database that is older than the program is refused, unless the command may migrate it.
 */
export async function openStorage(
  { dataFolder, printError }: Pick<CommandContext, 'dataFolder' | 'printError'>,
  { synchronous = 'full', ...options }: OpenOptions = {},
): Promise<Storage> {
  if (environment['PLUMBLINE_STORAGE'])
    throw new RefusedError(
      'invalid',
      'PLUMBLINE_STORAGE is set, but this version stores data in the data folder only. Unset it.',
    )
  return openSqlite(dataFolder, {
    migrating: 'if-new',
    warn: printError,
    yieldsToService: options.isServed !== true,
    ...options,
    synchronous: synchronous === 'off' ? 'OFF' : 'FULL',
  })
}
