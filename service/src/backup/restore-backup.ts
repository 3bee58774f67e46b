import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RefusedError } from '../errors/refused-error.ts'
import { writePrivate } from '../storage/private-files.ts'
import { syncToDisk } from '../storage/sqlite/backup/attach.ts'
import { restoreDatabase } from '../storage/sqlite/backup/restore-database.ts'
import { DATABASE_FILE } from '../storage/sqlite/connection/main-connection.ts'
import { DATABASE_VERSION as POSTGRES_VERSION } from '../storage/postgres/migrations/database-version.ts'
import { DATABASE_VERSION } from '../storage/sqlite/migrations/migrate.ts'
import { SEGMENTS, type BackupEntry } from './backup-folder.ts'
import { FILES } from './copied-files.ts'
import { PLACES_FILE } from './copy-data-folder.ts'
import { verifyBackup } from './verify-backup.ts'

/** Where a data folder is built until it is checked. */
const RESTORING = 'restoring'

type Restoring = {
  dataFolder: string
  signal: AbortSignal
  onProgress(bytes: number, total: number): void
}

/** Refuses a data folder that holds anything but what an interrupted restore has left. */
export async function requireNoData(dataFolder: string): Promise<void> {
  const names = await readdir(dataFolder).catch(() => [])
  const other = names.find((name) => name !== RESTORING && name !== 'lost+found')
  if (other === undefined) return
  throw new RefusedError(
    'invalid',
    `The data folder ${dataFolder} is not empty: it holds ${other}. Name an empty folder with --data; nothing is overwritten.`,
  )
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
 * its path. `finishRestore` puts it into its place.
 */
export async function restoreBackup(
  entry: BackupEntry,
  { dataFolder, signal, onProgress }: Restoring,
): Promise<string> {
  const { folder, manifest } = entry
  await verifyBackup(entry, { signal, onProgress })
  const building = join(dataFolder, RESTORING)
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  await rm(building, { recursive: true, force: true })
  await mkdir(building, { mode: 0o700 })
  if (manifest.engine === 'sqlite') await buildDatabase(folder, building, signal)
  for (const { path } of manifest.files.filter((file) => file.path.startsWith(`${FILES}/`))) {
    const target = join(building, path.slice(FILES.length + 1))
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await writePrivate(target, '')
    await copyFile(join(folder, path), target)
    syncToDisk(target)
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

/** Puts what was built into the data folder, the database last. */
export async function finishRestore(building: string): Promise<void> {
  const dataFolder = dirname(building)
  const names = (await readdir(building)).filter((name) => !/^plumbline\.(lock|mark|db)/.test(name))
  for (const name of names) await rename(join(building, name), join(dataFolder, name))
  if (existsSync(join(building, `${DATABASE_FILE}-wal`)))
    throw new Error('the restored database is still open')
  syncToDisk(building)
  if (existsSync(join(building, DATABASE_FILE)))
    await rename(join(building, DATABASE_FILE), join(dataFolder, DATABASE_FILE))
  await rm(building, { recursive: true, force: true })
  syncToDisk(dataFolder)
}
