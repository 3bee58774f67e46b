import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { codeOf } from '../../errors/thrown.ts'
import { writePrivate } from '../../storage/private-files.ts'
import { syncSlowFolder } from '../../storage/sync-to-disk.ts'

/** What has to be applied to the database file of a generation. */
export type Base = Readonly<{
  /** The first piece to apply, and the checksum of the piece before it. */
  first: number
  previous: string
  /** The database is whole only after this piece: it was copied while it changed. */
  wholeAfter: number
  /** The moment of that piece, in ms since 1970. */
  wholeAt: number
}>

export const BASE_DATABASE = 'base.db'
const BASE_FILE = 'base.json'

const NAME = /^generation-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{4}$/

const timeOf = (name: string): number => Date.parse(name.replace(NAME, '$1-$2-$3T$4:$5:$6Z'))

/**
 * Makes the folder of a new generation. Its name comes after those of all others, also where the clock
 * was put back.
 */
export async function makeGeneration(copy: string, now: number): Promise<string> {
  const newest = (await listGenerations(copy)).at(-1)
  const earliest = newest === undefined ? 0 : timeOf(basename(newest)) + 1000
  const moment = new Date(Math.max(now, earliest)).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const name = `generation-${moment}-${randomBytes(2).toString('hex')}`
  const folder = join(copy, name)
  await mkdir(folder, { mode: 0o700 })
  await syncSlowFolder(copy)
  return folder
}

/** The folders of all generations, from the oldest on. */
export const listGenerations = async (copy: string): Promise<string[]> =>
  (await readdir(copy))
    .filter((name) => NAME.test(name))
    .toSorted()
    .map((name) => join(copy, name))

/** What is known of the database file of a generation; undefined while it is copied. */
export async function readBase(folder: string): Promise<Base | undefined> {
  const text = await readFile(join(folder, BASE_FILE), 'utf8').catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
  return text === undefined ? undefined : JSON.parse(text)
}

export const writeBase = (folder: string, base: Base): Promise<void> =>
  replaceFile(folder, BASE_FILE, base)

/** Replaces a small file in one step, so that nobody reads half of it. */
export async function replaceFile(folder: string, name: string, content: object): Promise<void> {
  const fresh = join(folder, `${name}.new`)
  await writePrivate(fresh, `${JSON.stringify(content)}\n`)
  await rename(fresh, join(folder, name))
  await syncSlowFolder(folder)
}

export const removeGeneration = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true })
