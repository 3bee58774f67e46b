import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DamageError } from '../errors/damage-error.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { FILES } from './copied-files.ts'
import { isDataFile } from './data-files.ts'

/** A file of a backup; its path is relative to the folder that holds it. */
export type BackupFile = { path: string; bytes: number; sha256: string }

/** A file of sealed days, waveforms and pictures, which several backups share. */
export type BackupSegment = BackupFile & { ids: number }

/** What a backup is and what is in it, in `manifest.json`. */
export type Manifest = {
  /** The version of this form. */
  format: 1
  engine: 'sqlite' | 'postgres'
  /** The version of the program that made it, and of its database. */
  program: string
  database: number
  /** The instant of the data, and when the backup was whole, in ISO 8601. */
  instant: string
  ended: string
  seconds: number
  /** The bytes that were written for it. */
  bytes: number
  /** Known to the database that was backed up, and to those restored from this backup. */
  token: number
  withoutSecrets: boolean
  records: { theme: number; raw: number }
  /** The rows of each table. */
  rows: Record<string, number>
  files: BackupFile[]
  segments: BackupSegment[]
}

export const MANIFEST = 'manifest.json'

const FORMAT = 1

/** Reads the manifest of a backup; refuses what is damaged or of a newer program. */
export function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST)
  let found: Partial<Manifest>
  try {
    // A pipe would never end.
    if (!lstatSync(file).isFile()) throw new Error('it is no file')
    found = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new DamageError(`The file ${file} is damaged or missing. Choose another backup.`, {
      cause: error,
    })
  }
  if (typeof found.format === 'number' && found.format > FORMAT)
    throw new RefusedError(
      'invalid',
      `The backup ${folder} was made by a newer program, ${found.program}. Install that version to restore it.`,
    )
  if (!isManifest(found))
    throw new DamageError(`The file ${file} is damaged. Choose another backup.`)
  const strange = [...found.files, ...found.segments].find(({ path }) => !isOfBackup(path))
  if (strange !== undefined)
    throw new DamageError(
      `The file ${file} names ${JSON.stringify(strange.path)}, which no backup holds. Somebody has changed it: choose another backup.`,
    )
  return found
}

/** Whoever can write into the folder of backups must not make a restore read or write elsewhere. */
const isOfBackup = (path: unknown): boolean =>
  typeof path === 'string' &&
  (/^(segments\/)?[\w-]+\.(db|dump)$/.test(path) ||
    (path.startsWith(`${FILES}/`) && isDataFile(path.slice(FILES.length + 1))))

function isManifest(found: Partial<Manifest>): found is Manifest {
  return (
    found.format === FORMAT &&
    Array.isArray(found.files) &&
    Array.isArray(found.segments) &&
    Number.isFinite(Date.parse(String(found.instant))) &&
    typeof found.database === 'number' &&
    typeof found.rows === 'object'
  )
}
