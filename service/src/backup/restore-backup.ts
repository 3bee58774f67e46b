import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RefusedError } from '../errors/refused-error.ts'
import { writePrivate } from '../storage/private-files.ts'
import { syncFile } from '../storage/sync-to-disk.ts'
import { restoreDatabase } from '../storage/sqlite/backup/restore-database.ts'
import { DATABASE_FILE } from '../storage/sqlite/connection/main-connection.ts'
import { DATABASE_VERSION as POSTGRES_VERSION } from '../storage/postgres/migrations/database-version.ts'
import { DATABASE_VERSION } from '../storage/sqlite/migrations/migrate.ts'
import { SEGMENTS } from './backup-folder.ts'
import type { BackupEntry } from './find-backups.ts'
import { FILES } from './copied-files.ts'
import { PLACES_FILE } from './copy-data-folder.ts'
import { beginRestoring } from './restoring-folder.ts'
import { verifyBackup } from './verify-backup.ts'

type Restoring = {
  dataFolder: string
  signal: AbortSignal
  onProgress(bytes: number, total: number): void
}

/** Refuses a backup that this program cannot read. */
export function requireReadable({ folder, manifest }: BackupEntry): void {
  const newest = manifest.engine === 'sqlite' ? DATABASE_VERSION : POSTGRES_VERSION
  if (manifest.database <= newest) return
  throw new RefusedError(
    'invalid',
    `The backup ${folder} was made by a newer program, ${manifest.program}. Install that version to restore it.`,
  )
}

/**
 * Builds a data folder below the one that is to be restored, of files whose checksums are right; returns
 * its path. `finishRestoring` puts it into its place.
 */
export async function restoreBackup(
  entry: BackupEntry,
  { dataFolder, signal, onProgress }: Restoring,
): Promise<string> {
  const { folder, manifest } = entry
  await verifyBackup(entry, { signal, onProgress })
  const building = await beginRestoring(dataFolder)
  if (manifest.engine === 'sqlite') await buildDatabase(folder, building, signal)
  for (const { path } of manifest.files.filter((file) => file.path.startsWith(`${FILES}/`))) {
    const target = join(building, path.slice(FILES.length + 1))
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await writePrivate(target, '')
    await copyFile(join(folder, path), target)
    syncFile(target)
  }
  return building
}

async function buildDatabase(folder: string, building: string, signal: AbortSignal): Promise<void> {
  const database = join(building, DATABASE_FILE)
  await writePrivate(database, '')
  await copyFile(join(folder, DATABASE_FILE), database)
  await restoreDatabase({
    file: database,
    places: join(folder, PLACES_FILE),
    fileOf: (name) => join(dirname(folder), SEGMENTS, name),
    signal,
  })
}
