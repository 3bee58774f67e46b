import { environmentName, SETTING_NAMES, type Config } from '../config/settings.ts'
import {
  connectionSettings,
  type ConnectionSettings,
} from '../storage/postgres/connection/connection-settings.ts'
import { readSecretFile } from './setting-files.ts'

/** Whether the settings name a database of PostgreSQL. */
export const usesPostgres = (config: Config): boolean => config['storage.url'] !== 'sqlite'

/** The settings of connections to PostgreSQL, with the text of the password file. */
export async function readConnectionSettings(config: Config): Promise<ConnectionSettings> {
  const file = config['storage.passwordFile']
  return {
    password: file === '' ? undefined : await readSecretFile(file, 'storage.passwordFile'),
    poolSize: config['storage.poolSize'],
    statementTimeoutSeconds: config['storage.statementTimeoutSeconds'],
  }
}

/**
 * The settings of the storage as environment variables of another process. Not as flags: the URL may
 * hold a password, and every user can list the arguments of a process.
 */
export const storageVariables = (config: Config): Record<string, string> =>
  Object.fromEntries(
    SETTING_NAMES.filter((name) => name.startsWith('storage.')).map((name) => [
      environmentName(name),
      String(config[name]),
    ]),
  )

/** Refuses settings of the storage that contradict each other; connects to nothing. */
export async function checkStorage(config: Config): Promise<void> {
  if (usesPostgres(config))
    connectionSettings(config['storage.url'], await readConnectionSettings(config))
}
