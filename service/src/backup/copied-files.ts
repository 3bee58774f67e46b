import { lstat, mkdir, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writePrivate } from '../storage/private-files.ts'

/** Where the other files of a data folder are in a backup. */
export const FILES = 'files'

/** Folders whose files are secret. */
const SECRET_FOLDERS = ['secrets', 'tls']

/** The state of the demo has the secret of its application. */
const SECRET_FILES: ReadonlySet<string> = new Set(['demo.json'])

export const SETTINGS_FILE = 'plumbline.yaml'

type FilesToCopy = {
  dataFolder: string
  /** The settings file, wherever it is. */
  settingsFile: string
  /** Further files of the data folder, such as mappings. */
  others: readonly string[]
  withoutSecrets: boolean
}

/** Copies what the data folder has beside the database; returns the paths, relative to `to`. */
export async function copyFiles(to: string, files: FilesToCopy): Promise<string[]> {
  const copied: string[] = []
  for (const { from, path } of await listFiles(files)) {
    const target = join(to, FILES, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await writePrivate(target, await readFile(from))
    copied.push(join(FILES, path))
  }
  return copied
}

async function listFiles({
  dataFolder,
  settingsFile,
  others,
  withoutSecrets,
}: FilesToCopy): Promise<{ from: string; path: string }[]> {
  const own = others
    .filter((path) => !(withoutSecrets && SECRET_FILES.has(path)))
    .map((path) => ({ from: join(dataFolder, path), path }))
  // It may hold passwords.
  const settings = withoutSecrets ? [] : [{ from: settingsFile, path: SETTINGS_FILE }]
  const secret = withoutSecrets
    ? []
    : (await Promise.all(SECRET_FOLDERS.map((name) => listFolder(dataFolder, name)))).flat()
  const found = await Promise.all(
    [...settings, ...own].map(async (file) => ({ ...file, isFile: await isFile(file.from) })),
  )
  return [...found.filter((file) => file.isFile), ...secret]
}

async function listFolder(
  dataFolder: string,
  name: string,
): Promise<{ from: string; path: string }[]> {
  const entries = await readdir(join(dataFolder, name), { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.new'))
    .map((entry) => ({ from: join(dataFolder, name, entry.name), path: join(name, entry.name) }))
}

const isFile = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isFile() || found.isSymbolicLink(),
    () => false,
  )
