import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupEntry } from '../backup/find-backups.ts'
import type { CopiedDatabase } from '../backup/make-backup.ts'
import { environment } from '../config/env.ts'
import type { Config } from '../config/settings.ts'
import { readConnectionSettings } from '../startup/storage-settings.ts'
import { dumpDatabase, restoreDump } from '../storage/postgres/backup/dump-database.ts'

const DUMP_FILE = 'database.dump'

/** Counting the rows of a large table takes minutes. */
const STATEMENT_SECONDS = 3_600

const connectionOf = async (config: Config) => ({
  url: config['storage.url'],
  settings: {
    ...(await readConnectionSettings(config)),
    statementTimeoutSeconds: STATEMENT_SECONDS,
  },
  environment,
})

/** Dumps the database of the settings into the folder of a backup. */
export async function copyServer(
  config: Config,
  to: string,
  signal: AbortSignal,
): Promise<CopiedDatabase> {
  const file = join(to, DUMP_FILE)
  const connection = await connectionOf(config)
  const dumped = await dumpDatabase({ ...connection, file, signal, now: Date.now })
  await chmod(file, 0o600)
  return {
    engine: 'postgres',
    ...dumped,
    token: 0,
    files: [DUMP_FILE],
    segments: [],
    segmentBytes: 0,
    whenWhole: () => Promise.resolve(),
  }
}

/** Restores the dump of a backup into the empty database of the settings. */
export async function restoreServer(
  config: Config,
  { folder, manifest }: BackupEntry,
  signal: AbortSignal,
): Promise<void> {
  const { records, database: version } = manifest
  const connection = await connectionOf(config)
  await restoreDump({ ...connection, file: join(folder, DUMP_FILE), signal }, { records, version })
}
