import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '../../errors/thrown.ts'
import { syncSlowFolder } from '../../storage/sync-to-disk.ts'

/** Folders of the data folder that are copied beside the database. */
const FOLDERS = ['secrets', 'tls']

/** The name that the settings file has in a data folder. */
const SETTINGS_NAME = 'plumbline.yaml'

const SETS = 'files'
const SET = /^\d{16}$/

type SideFile = { path: string; name: string }

/** Certificates, secrets and the settings file: a set of them is copied when one has changed. */
export class SideFiles {
  readonly #dataFolder: string
  readonly #settingsFile: string
  #copied: string | undefined

  constructor(dataFolder: string, settingsFile: string) {
    this.#dataFolder = dataFolder
    this.#settingsFile = settingsFile
  }

  /** Copies all of them into a generation, unless they are as they were at the last call. */
  async copyChanged(generation: string, now: number): Promise<void> {
    const files = await this.#list()
    const state = await describe(files)
    const key = `${generation} ${state}`
    if (key === this.#copied) return
    const sets = join(generation, SETS)
    const folder = join(sets, String(now).padStart(16, '0'))
    const fresh = `${folder}.new`
    await rm(fresh, { recursive: true, force: true })
    await mkdir(fresh, { recursive: true, mode: 0o700 })
    for (const { path, name } of files) {
      await mkdir(dirname(join(fresh, name)), { recursive: true, mode: 0o700 })
      await copyFile(path, join(fresh, name))
    }
    await rename(fresh, folder)
    await syncSlowFolder(sets)
    this.#copied = key
  }

  async #list(): Promise<SideFile[]> {
    const files: SideFile[] = []
    for (const folder of FOLDERS)
      for (const name of await namesIn(join(this.#dataFolder, folder)))
        files.push({ path: join(this.#dataFolder, folder, name), name: join(folder, name) })
    files.push({ path: this.#settingsFile, name: SETTINGS_NAME })
    const found = await Promise.all(files.map(async (one) => ((await isFile(one)) ? [one] : [])))
    return found.flat()
  }
}

/** Puts the set of files that was copied last before a moment, or else the first, into a folder. */
export async function restoreSideFiles(
  generation: string,
  at: number,
  to: string,
): Promise<string[]> {
  const sets = (await namesIn(join(generation, SETS))).filter((name) => SET.test(name)).toSorted()
  const chosen = sets.findLast((name) => Number(name) <= at) ?? sets[0]
  if (chosen === undefined) return []
  const from = join(generation, SETS, chosen)
  const names = [SETTINGS_NAME]
  for (const folder of FOLDERS)
    names.push(...(await namesIn(join(from, folder))).map((name) => join(folder, name)))
  const restored: string[] = []
  for (const name of names) {
    if (!(await isFile({ path: join(from, name) }))) continue
    await mkdir(dirname(join(to, name)), { recursive: true, mode: 0o700 })
    await copyFile(join(from, name), join(to, name))
    restored.push(name)
  }
  return restored
}

/** Removes the sets that no moment from then on needs. */
export async function removeOldSideFiles(generation: string, before: number): Promise<void> {
  const folder = join(generation, SETS)
  const sets = (await namesIn(folder)).filter((name) => SET.test(name)).toSorted()
  const needed = sets.findLastIndex((name) => Number(name) <= before)
  for (const name of sets.slice(0, Math.max(0, needed)))
    await rm(join(folder, name), { recursive: true, force: true })
}

async function describe(files: readonly SideFile[]): Promise<string> {
  const states = await Promise.all(
    files.map(async ({ path, name }) => {
      const { size, mtimeMs, ino } = await stat(path)
      return `${name} ${size} ${mtimeMs} ${ino}`
    }),
  )
  return states.join('\n')
}

/** Names that end in `.new` are files that are being written. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error
    return []
  })
  return names.filter((name) => !basename(name).endsWith('.new')).toSorted()
}

const isFile = async ({ path }: Pick<SideFile, 'path'>): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
