import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RefusedError } from '../../errors/refused-error.ts'
import { codeOf } from '../../errors/thrown.ts'
import { DATABASE_FILE } from '../../storage/sqlite/connection/main-connection.ts'
import { syncFolder } from './generation.ts'

/** Where a data folder is built until it is checked. */
const RESTORING = 'restoring'

/** Makes a folder in an empty data folder, in which it is built; what an interrupted restore left goes. */
export async function beginRestoring(dataFolder: string): Promise<string> {
  const names = await readdir(dataFolder).catch((error) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  const other = names.find((name) => name !== RESTORING && name !== 'lost+found')
  if (other !== undefined)
    throw new RefusedError(
      'invalid',
      `The data folder ${dataFolder} is not empty: it holds ${other}. Name an empty folder with --data; nothing is overwritten.`,
    )
  const building = join(dataFolder, RESTORING)
  await rm(building, { recursive: true, force: true })
  await mkdir(building, { recursive: true, mode: 0o700 })
  return building
}

/** Puts what was built and checked into the data folder, the database last. */
export async function finishRestoring(dataFolder: string): Promise<void> {
  const building = join(dataFolder, RESTORING)
  const names = (await readdir(building)).filter((name) => !/^plumbline\.(lock|mark|db)/.test(name))
  for (const name of [...names, DATABASE_FILE])
    await rename(join(building, name), join(dataFolder, name))
  await syncFolder(dataFolder)
  await rm(building, { recursive: true })
}
