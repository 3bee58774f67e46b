import { RefusedError } from '../domain/refused-error.ts'
import { environment } from '../config/env.ts'
import { openSqlite } from '../storage/sqlite/open.ts'
import type { Storage } from '../storage/storage.ts'

/** Opens what the command works on; more commands and the service may work on it at once. */
export async function openStorage(
  dataFolder: string,
  synchronous = 'full',
  warn = (sentence: string): void => void process.stderr.write(`${sentence}\n`),
): Promise<Storage> {
  if (environment['PLUMBLINE_STORAGE'])
    throw new RefusedError(
      'invalid',
      'PLUMBLINE_STORAGE is set, but this version keeps its data in the data folder only; unset it.',
    )
  return openSqlite(dataFolder, { synchronous: synchronous === 'off' ? 'OFF' : 'FULL', warn })
}
