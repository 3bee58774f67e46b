import { randomInt } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'
import { writePrivate } from '../storage/private-files.ts'
import { syncToDisk } from '../storage/sqlite/backup/attach.ts'
import { backUpDatabase, type DatabaseBackup } from '../storage/sqlite/backup/back-up-database.ts'
import { DATABASE_FILE } from '../storage/sqlite/connection/main-connection.ts'
import { DATABASE_VERSION } from '../storage/sqlite/migrations/migrate.ts'
import type { Storage } from '../storage/storage.ts'
import {
  listBackups,
  nameOf,
  SEGMENTS,
  UNFINISHED,
  type BackupEntry,
  type BackupFolder,
} from './backup-folder.ts'
import { readToken, writeToken } from './backup-marks.ts'
import { measureFile } from './checksums.ts'
import { copyFiles } from './copied-files.ts'
import { MANIFEST, type BackupSegment, type Manifest } from './manifest.ts'

export const PLACES_FILE = 'places.db'

export type MakeBackup = {
  folder: BackupFolder
  storage: Pick<Storage, 'copying'>
  dataFolder: string
  /** A descriptor of the database file that outlives all connections of this process. */
  descriptor: number
  settingsFile: string
  otherFiles: readonly string[]
  withoutSecrets: boolean
  program: string
  signal: AbortSignal
  now(): number
  onProgress(bytes: number, total: number): void
  warn(sentence: string): void
}

/** Makes a backup in a folder of its own, which has no other name than `….unfinished` until it is whole. */
export async function makeBackup(options: MakeBackup): Promise<BackupEntry> {
  const { folder, now } = options
  await folder.removeUnfinished()
  const name = await freeName(folder, now)
  const unfinished = join(folder.path, `${name}${UNFINISHED}`)
  const segment = `${name}.db`
  try {
    await mkdir(unfinished, { mode: 0o700 })
    const manifest = await fill(options, unfinished, segment)
    await writePrivate(join(unfinished, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`)
    syncToDisk(unfinished)
    syncToDisk(join(folder.path, SEGMENTS))
    const whole = join(folder.path, name)
    await rename(unfinished, whole)
    syncToDisk(folder.path)
    await noteBackup(options, manifest.token)
    return { name, folder: whole, manifest }
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    await folder.removeUnused()
    throw explain(error, folder.path)
  }
}

async function fill(options: MakeBackup, to: string, segment: string): Promise<Manifest> {
  const { folder, dataFolder, withoutSecrets, signal, now } = options
  const began = now()
  const whole = segment.replace(/\.db$/, '-whole.db')
  const base = await findBase(options)
  const copy = await backUpDatabase({
    source: { file: join(dataFolder, DATABASE_FILE), descriptor: options.descriptor },
    to: { database: join(to, DATABASE_FILE), places: join(to, PLACES_FILE) },
    segment: { name: segment, file: join(folder.path, SEGMENTS, segment) },
    whole: { name: whole, file: join(folder.path, SEGMENTS, whole) },
    base: base?.database,
    signal,
    now,
    onProgress: options.onProgress,
  })
  const { settingsFile, otherFiles: others } = options
  const others_ = await copyFiles(to, { dataFolder, settingsFile, others, withoutSecrets })
  const files = []
  for (const path of [DATABASE_FILE, PLACES_FILE, ...others_])
    files.push(await measureFile(to, path, { signal }))
  const made: BackupSegment[] = []
  const segments: BackupSegment[] = []
  for (const name of copy.segments) {
    const path = join(SEGMENTS, name)
    const known = base?.segments.find((one) => one.path === path)
    if (known !== undefined) {
      segments.push(known)
      continue
    }
    const isWhole = name === whole
    const file = isWhole ? copy.whole : undefined
    const measured =
      file === undefined ? await measureFile(folder.path, path, { signal }) : { path, ...file }
    made.push({ ...measured, ids: isWhole ? copy.wholeIds : copy.newIds })
  }
  for (const name of [segment, whole])
    if (!copy.segments.includes(name)) await rm(join(folder.path, SEGMENTS, name), { force: true })
  const written = [...files, ...made]
  const ended = now()
  return {
    format: 1,
    engine: 'sqlite',
    program: options.program,
    database: copy.version,
    instant: new Date(copy.instant).toISOString(),
    ended: new Date(ended).toISOString(),
    seconds: (ended - began) / 1000,
    bytes: written.reduce((sum, { bytes }) => sum + bytes, 0),
    token: randomInt(1, 2 ** 47),
    withoutSecrets,
    records: copy.records,
    rows: copy.rows,
    files,
    segments: [...segments, ...made],
  }
}

type Base = { database: NonNullable<DatabaseBackup['base']>; segments: BackupSegment[] }

/**
 * The backup that the database has grown from. One of another history, such as that of a database that
 * was replaced by an older copy, has another token: ids of its segments may mean other rows.
 */
async function findBase({ folder, storage, warn }: MakeBackup): Promise<Base | undefined> {
  const token = await readToken(storage, folder.id)
  if (token === undefined) return undefined
  const entry = (await listBackups(folder.path)).find(({ manifest }) => manifest.token === token)
  if (entry?.manifest.database !== DATABASE_VERSION) return undefined
  const places = join(entry.folder, PLACES_FILE)
  if (!existsSync(places)) return undefined
  const segments = entry.manifest.segments.filter(({ path, bytes }) => {
    const file = join(folder.path, path)
    const isWhole = statSync(file, { throwIfNoEntry: false })?.size === bytes
    if (!isWhole) warn(`The file ${file} is damaged or missing. Its rows are copied again.`)
    return isWhole
  })
  const named = segments.map(
    ({ path, bytes, ids }) => [path.slice(SEGMENTS.length + 1), { bytes, ids }] as const,
  )
  return { database: { places, segments: new Map(named) }, segments }
}

/** Lets the next backup build on this one. */
async function noteBackup({ storage, folder, warn }: MakeBackup, token: number): Promise<void> {
  try {
    await writeToken(storage, folder.id, token)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    warn(`${error.message} The backup is whole; the next one copies again what this one has.`)
  }
}

/** Two backups of a second get different names. */
async function freeName({ path }: BackupFolder, now: () => number): Promise<string> {
  for (let instant = now(); ; instant += 1000) {
    const name = nameOf(instant)
    if (!existsSync(join(path, name))) return name
  }
}

function explain(error: unknown, folder: string): unknown {
  const code = codeOf(error)
  if (code === undefined || !/^(ENOSPC|EDQUOT|SQLITE_FULL)$/.test(code)) return error
  return new RefusedError(
    'unavailable',
    `The disk of ${folder} is full: the backup was not made, and nothing of it is left there. Free some space, or keep fewer backups.`,
    { cause: error },
  )
}
