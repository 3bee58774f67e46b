import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { codeOf } from '../errors/thrown.ts'
import { writePrivate } from '../storage/private-files.ts'
import { isInside } from './is-inside.ts'

/** The name that the settings file has in a data folder. */
export const SETTINGS_FILE = 'plumbline.yaml'

const SECRET_FOLDERS = ['secrets', 'tls']

/** The state of the demo has the secret of its application. */
const DEMO_FILE = 'demo.json'

/** A file of a data folder; its path there has slashes. */
export type DataFile = { from: string; path: string; isSecret: boolean }

export type DataFilesOf = {
  dataFolder: string
  /** The settings file, wherever it is. */
  settingsFile: string
  /** Mapping files that the settings name; those outside the data folder are not its files. */
  mappings: readonly string[]
}

/** The files that a data folder has beside its database. Names that end in `.new` are being written. */
export async function listDataFiles({
  dataFolder,
  settingsFile,
  mappings,
}: DataFilesOf): Promise<DataFile[]> {
  // It may hold passwords.
  const files = [{ from: settingsFile, path: SETTINGS_FILE, isSecret: true }]
  files.push({ from: join(dataFolder, DEMO_FILE), path: DEMO_FILE, isSecret: true })
  for (const folder of SECRET_FOLDERS)
    for (const name of await namesIn(join(dataFolder, folder)))
      files.push({
        from: join(dataFolder, folder, name),
        path: `${folder}/${name}`,
        isSecret: true,
      })
  for (const mapping of new Set(mappings)) {
    const from = resolve(dataFolder, mapping)
    const path = relative(resolve(dataFolder), from).replaceAll('\\', '/')
    if (isInside(from, dataFolder) && isDataFile(path)) files.push({ from, path, isSecret: false })
  }
  const found = await Promise.all(files.map(async (one) => ((await isFile(one.from)) ? [one] : [])))
  return found.flat()
}

/** Copies a file into a folder, below its path, for its owner only and synced. */
export async function copyDataFile({ from, path }: Omit<DataFile, 'isSecret'>, to: string) {
  const target = join(to, path)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await writePrivate(target, await readFile(from))
}

/** Whether a copy may put a path into a data folder: it leads nowhere else, and is not the database. */
export function isDataFile(path: string): boolean {
  const parts = path.split('/')
  const areNames = parts.every((part) => /^[^/\\]+$/.test(part) && part !== '.' && part !== '..')
  return areNames && !/^(plumbline\.(db|lock|mark)|restoring$)/.test(parts[0]!)
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error
    return []
  })
  return names.filter((name) => !name.endsWith('.new')).toSorted()
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
