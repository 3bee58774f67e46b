import { existsSync } from 'node:fs'
import { lchown, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'
import { syncFolder } from '../storage/sync-to-disk.ts'
import { DATABASE_FILE } from '../storage/sqlite/connection/main-connection.ts'

/** Where a data folder is built until it is checked. */
const RESTORING = 'restoring'

/** Refuses a data folder that holds anything but what an interrupted restore has left. */
export async function requireNoData(dataFolder: string): Promise<void> {
  const names = await readdir(dataFolder).catch((error) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  const other = names.find((name) => name !== RESTORING && name !== 'lost+found')
  if (other === undefined) return
  throw new RefusedError(
    'invalid',
    `The data folder ${dataFolder} is not empty: it holds ${other}. Name an empty folder with --data; nothing is overwritten.`,
  )
}

/** Makes the folder in which a data folder is built; what an interrupted restore left goes. */
export async function beginRestoring(dataFolder: string): Promise<string> {
  await requireNoData(dataFolder)
  const building = join(dataFolder, RESTORING)
  const made = await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  if (made !== undefined) await giveToOwnerOf(dirname(made), made)
  await rm(building, { recursive: true, force: true })
  await mkdir(building, { mode: 0o700 })
  return building
}

/** Puts what was built and checked into the data folder, the database last. */
export async function finishRestoring(building: string): Promise<void> {
  const dataFolder = dirname(building)
  await giveToOwnerOf(dataFolder, building)
  const names = (await readdir(building)).filter((name) => !/^plumbline\.(lock|mark|db)/.test(name))
  for (const name of names) await rename(join(building, name), join(dataFolder, name))
  if (existsSync(join(building, `${DATABASE_FILE}-wal`)))
    throw new Error('the restored database is still open')
  syncFolder(building)
  // A backup of PostgreSQL has none.
  if (existsSync(join(building, DATABASE_FILE)))
    await rename(join(building, DATABASE_FILE), join(dataFolder, DATABASE_FILE))
  syncFolder(dataFolder)
  await rm(building, { recursive: true, force: true })
}

/** Gives what root has made, with all within, to the owner of another folder: the service could not read it. */
async function giveToOwnerOf(folder: string, made: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  const names = await readdir(made, { recursive: true })
  for (const path of [made, ...names.map((name) => join(made, name))]) await lchown(path, uid, gid)
}
