import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'
import { writePrivate } from '../storage/private-files.ts'
import { syncFolder } from '../storage/sync-to-disk.ts'
import { SEGMENTS, UNFINISHED, type BackupFolder } from './backup-folder.ts'
import type { BackupEntry } from './find-backups.ts'
import { measureFile } from './checksums.ts'
import { copyFiles } from './copied-files.ts'
import type { DataFilesOf } from './data-files.ts'
import { MANIFEST, type Manifest } from './manifest.ts'

/** A database in a backup. */
export type CopiedDatabase = Pick<
  Manifest,
  'engine' | 'records' | 'rows' | 'segments' | 'token'
> & {
  /** The version of the database, and the instant of its data. */
  version: number
  instant: number
  /** Files that were made in the folder of the backup. */
  files: string[]
  /** Bytes of segments that were made. */
  segmentBytes: number
  /** Has to be called when the backup is whole. */
  whenWhole(): Promise<void>
}

export type MakeBackup = DataFilesOf & {
  folder: BackupFolder
  /** Copies the database into a folder, for the backup of a name. */
  copyDatabase(to: string, name: string): Promise<CopiedDatabase>
  withoutSecrets: boolean
  program: string
  signal: AbortSignal
  now(): number
}

/** Makes a backup in a folder of its own, which has no other name than `….unfinished` until it is whole. */
export async function makeBackup(options: MakeBackup): Promise<BackupEntry> {
  const { folder, now } = options
  await folder.removeUnfinished()
  const name = await folder.nextName(now())
  const unfinished = join(folder.path, `${name}${UNFINISHED}`)
  try {
    await mkdir(unfinished, { mode: 0o700 })
    const { manifest, whenWhole } = await fill(options, unfinished, name)
    await writePrivate(join(unfinished, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`)
    syncFolder(unfinished)
    syncFolder(join(folder.path, SEGMENTS))
    const whole = join(folder.path, name)
    await rename(unfinished, whole)
    syncFolder(folder.path)
    await whenWhole()
    return { name, folder: whole, manifest }
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    await folder.removeUnused()
    throw explain(error, folder.path)
  }
}

async function fill(
  options: MakeBackup,
  to: string,
  name: string,
): Promise<{ manifest: Manifest; whenWhole(): Promise<void> }> {
  const { withoutSecrets, signal, now } = options
  const began = now()
  const copied = await options.copyDatabase(to, name)
  const { segments } = copied
  const copiedFiles = await copyFiles(to, options)
  const files = []
  for (const path of [...copied.files, ...copiedFiles])
    files.push(await measureFile(to, path, { signal }))
  const ended = now()
  const manifest: Manifest = {
    format: 1,
    engine: copied.engine,
    program: options.program,
    database: copied.version,
    instant: new Date(copied.instant).toISOString(),
    ended: new Date(ended).toISOString(),
    seconds: (ended - began) / 1000,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, copied.segmentBytes),
    token: copied.token,
    withoutSecrets,
    records: copied.records,
    rows: copied.rows,
    files,
    segments,
  }
  return { manifest, whenWhole: copied.whenWhole }
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
