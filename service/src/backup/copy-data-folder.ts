import { randomInt } from 'node:crypto'
import { statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DamageError } from '../errors/damage-error.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { backUpDatabase, type DatabaseBackup } from '../storage/sqlite/backup/back-up-database.ts'
import { DATABASE_FILE } from '../storage/sqlite/connection/main-connection.ts'
import { DATABASE_VERSION } from '../storage/sqlite/migrations/migrate.ts'
import type { Storage } from '../storage/storage.ts'
import { SEGMENTS, type BackupFolder } from './backup-folder.ts'
import { listBackups } from './find-backups.ts'
import { readToken, writeToken } from './backup-marks.ts'
import { measureFile, requireIntact } from './checksums.ts'
import type { CopiedDatabase } from './make-backup.ts'
import type { BackupFile, BackupSegment } from './manifest.ts'

export const PLACES_FILE = 'places.db'

type DataFolderCopy = {
  folder: BackupFolder
  storage: Pick<Storage, 'copying'>
  dataFolder: string
  /** A descriptor of the database file that outlives all connections of this process. */
  descriptor: number
  /** Whether what earlier backups share is read before it is used again. */
  isVerified: boolean
  signal: AbortSignal
  now(): number
  onProgress(bytes: number, total: number): void
  warn(sentence: string): void
  /** What of the earlier backup is damaged and copied again, as a sentence. */
  onDamage(sentence: string): void
}

/** Copies the database of a data folder into a backup; what never changes into the segments of all. */
export async function copyDataFolder(
  copy: DataFolderCopy,
  to: string,
  name: string,
): Promise<CopiedDatabase> {
  const { folder, signal } = copy
  const [segment, whole] = [`${name}.db`, `${name}-whole.db`]
  const base = await findBase(copy)
  const copied = await backUpDatabase({
    source: { file: join(copy.dataFolder, DATABASE_FILE), descriptor: copy.descriptor },
    to: { database: join(to, DATABASE_FILE), places: join(to, PLACES_FILE) },
    segment: { name: segment, file: join(folder.path, SEGMENTS, segment) },
    whole: { name: whole, file: join(folder.path, SEGMENTS, whole) },
    base: base?.database,
    signal,
    now: copy.now,
    onProgress: copy.onProgress,
  })
  const made: BackupSegment[] = []
  const reused: BackupSegment[] = []
  for (const segmentName of copied.segments) {
    const path = join(SEGMENTS, segmentName)
    const known = base?.segments.find((one) => one.path === path)
    if (known !== undefined) reused.push(known)
    else {
      const isWhole = segmentName === whole
      const file = isWhole ? copied.whole : undefined
      const measured = file ?? (await measureFile(folder.path, path, { signal }))
      made.push({ ...measured, path, ids: isWhole ? copied.wholeIds : copied.newIds })
    }
  }
  for (const one of [segment, whole])
    if (!copied.segments.includes(one)) await rm(join(folder.path, SEGMENTS, one), { force: true })
  const { version, instant, rows, records } = copied
  const token = randomInt(1, 2 ** 47)
  return {
    engine: 'sqlite',
    version,
    instant,
    rows,
    records,
    token,
    files: [DATABASE_FILE, PLACES_FILE],
    segments: [...reused, ...made],
    segmentBytes: made.reduce((sum, { bytes }) => sum + bytes, 0),
    whenWhole: () => noteBackup(copy, token),
  }
}

type Base = { database: NonNullable<DatabaseBackup['base']>; segments: BackupSegment[] }

/**
 * The backup that the database has grown from. One of another history, such as that of a database that
 * was replaced by an older copy, has another token: ids of its segments may mean other rows.
 */
async function findBase(copy: DataFolderCopy): Promise<Base | undefined> {
  const { folder, storage } = copy
  const token = await readToken(storage, folder.id)
  if (token === undefined) return undefined
  const { backups } = await listBackups(folder.path)
  const entry = backups.find(({ manifest }) => manifest.token === token)
  if (entry?.manifest.database !== DATABASE_VERSION) return undefined
  const places = entry.manifest.files.find(({ path }) => path === PLACES_FILE)
  if (places === undefined) return undefined
  if (!(await isWhole(entry.folder, places, copy))) {
    copy.onDamage(
      `The file ${join(entry.folder, PLACES_FILE)} is damaged or missing. All is copied again.`,
    )
    return undefined
  }
  const segments: BackupSegment[] = []
  for (const segment of entry.manifest.segments)
    if (await isWhole(folder.path, segment, copy)) segments.push(segment)
    else
      copy.onDamage(
        `The file ${join(folder.path, segment.path)} is damaged or missing. Its rows are copied again.`,
      )
  const named = segments.map(
    ({ path, bytes, ids }) => [path.slice(SEGMENTS.length + 1), { bytes, ids }] as const,
  )
  const placesFile = join(entry.folder, PLACES_FILE)
  return { database: { places: placesFile, segments: new Map(named) }, segments }
}

async function isWhole(
  folder: string,
  file: BackupFile,
  { isVerified, signal }: DataFolderCopy,
): Promise<boolean> {
  const found = statSync(join(folder, file.path), { throwIfNoEntry: false })
  if (found?.size !== file.bytes) return false
  if (!isVerified) return true
  try {
    await requireIntact(folder, file, { signal })
    return true
  } catch (error) {
    if (error instanceof DamageError) return false
    throw error
  }
}

/** Lets the next backup build on this one. */
async function noteBackup({ storage, folder, warn }: DataFolderCopy, token: number): Promise<void> {
  try {
    await writeToken(storage, folder.id, token)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    warn(`${error.message} The backup is whole; the next one copies again what this one has.`)
  }
}
