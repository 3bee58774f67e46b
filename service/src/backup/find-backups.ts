import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { DamageError } from '../errors/damage-error.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { momentOf } from '../errors/show.ts'
import { MANIFEST, readManifest, type Manifest } from './manifest.ts'

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/

export type BackupEntry = { name: string; folder: string; manifest: Manifest }

/** A backup whose manifest is damaged or missing, so that nobody knows what it needs. */
export type DamagedBackup = { folder: string; problem: string }

/** The names of the backups of a folder, the oldest first. */
export const listNames = async (path: string): Promise<string[]> =>
  (await readdir(path)).filter((name) => NAME.test(name)).toSorted()

/** The backups of a folder, the oldest first. */
export async function listBackups(
  path: string,
): Promise<{ backups: BackupEntry[]; damaged: DamagedBackup[] }> {
  const backups: BackupEntry[] = []
  const damaged: DamagedBackup[] = []
  for (const name of await listNames(path)) {
    const folder = join(path, name)
    try {
      backups.push({ name, folder, manifest: readManifest(folder) })
    } catch (error) {
      if (!(error instanceof DamageError)) throw error
      damaged.push({ folder, problem: error.message })
    }
  }
  return { backups, damaged }
}

/** The backup that a path names: itself, or of a folder of backups the newest, or the last one until `at`. */
export async function findBackup(path: string, at = Infinity): Promise<BackupEntry> {
  const folder = resolve(path)
  const isOne = existsSync(join(folder, MANIFEST))
  const folders = isOne
    ? [folder]
    : await listNames(folder).then(
        (names) => names.map((name) => join(folder, name)),
        () => [],
      )
  let first: string | undefined
  for (const one of folders.toReversed()) {
    const manifest = readManifest(one)
    if (Date.parse(manifest.instant) <= at) return { name: basename(one), folder: one, manifest }
    first = manifest.instant
  }
  throw new RefusedError(
    'absent',
    first === undefined
      ? `There is no backup and no continuous copy in ${path}. Check the folder.`
      : `There is no backup of ${momentOf(at)} or before in ${path}: the first one is of ${momentOf(Date.parse(first))}.`,
  )
}
