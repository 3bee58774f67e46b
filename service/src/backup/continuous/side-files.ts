import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../errors/thrown.ts'
import { syncSlowFolder } from '../../storage/sync-to-disk.ts'
import {
  copyDataFile,
  isDataFile,
  listDataFiles,
  type DataFile,
  type DataFilesOf,
} from '../data-files.ts'

const SETS = 'files'
const SET = /^\d{16}$/

/** Certificates, secrets, settings and mappings: a set of them is copied when one has changed. */
export class SideFiles {
  readonly #folder: DataFilesOf
  #copied: string | undefined

  constructor(folder: DataFilesOf) {
    this.#folder = folder
  }

  /** Copies all of them into a generation, unless they are as they were at the last call. */
  async copyChanged(generation: string, now: number): Promise<void> {
    const files = await listDataFiles(this.#folder)
    const state = await describe(files)
    const key = `${generation} ${state}`
    if (key === this.#copied) return
    const sets = join(generation, SETS)
    const folder = join(sets, String(now).padStart(16, '0'))
    const fresh = `${folder}.new`
    await rm(fresh, { recursive: true, force: true })
    await mkdir(fresh, { recursive: true, mode: 0o700 })
    for (const file of files) await copyDataFile(file, fresh)
    await rename(fresh, folder)
    await syncSlowFolder(sets)
    this.#copied = key
  }
}

/** Puts the set of files that was copied last before a moment, or else the first, into a folder. */
export async function restoreSideFiles(
  generation: string,
  at: number,
  to: string,
): Promise<string[]> {
  const sets = await listSets(generation)
  const chosen = sets.findLast((name) => Number(name) <= at) ?? sets[0]
  if (chosen === undefined) return []
  const from = join(generation, SETS, chosen)
  const paths = (await listBelow(from)).filter(isDataFile)
  const files = paths.map((path) => ({ from: join(from, path), path }))
  for (const file of files) await copyDataFile(file, to)
  return files.map(({ path }) => path).toSorted()
}

/** Removes the sets that no moment from then on needs. */
export async function removeOldSideFiles(generation: string, before: number): Promise<void> {
  const sets = await listSets(generation)
  const needed = sets.findLastIndex((name) => Number(name) <= before)
  for (const name of sets.slice(0, Math.max(0, needed)))
    await rm(join(generation, SETS, name), { recursive: true, force: true })
}

/** The files below a folder. Links are none: they lead elsewhere. */
async function listBelow(folder: string, before = ''): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const paths = entries.map(async (entry) => {
    const path = `${before}${entry.name}`
    if (entry.isDirectory()) return listBelow(join(folder, entry.name), `${path}/`)
    return entry.isFile() ? [path] : []
  })
  return (await Promise.all(paths)).flat()
}

async function listSets(generation: string): Promise<string[]> {
  const names = await readdir(join(generation, SETS)).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error
    return []
  })
  return names.filter((name) => SET.test(name)).toSorted()
}

async function describe(files: readonly DataFile[]): Promise<string> {
  const states = await Promise.all(
    files.map(async ({ from, path }) => {
      const { size, mtimeMs, ino } = await stat(from)
      return `${path} ${size} ${mtimeMs} ${ino}`
    }),
  )
  return states.join('\n')
}
