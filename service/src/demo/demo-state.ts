import { hash } from 'node:crypto'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Credentials } from '../site/applications.ts'
import { writePrivate } from '../storage/private-files.ts'
import { listDataFiles } from './data-files.ts'

export const DEMO_FOLDER = fileURLToPath(new URL('../../../examples/demo-site/', import.meta.url))
export const SITE_FILE = join(DEMO_FOLDER, 'site.yaml')

/** What loading the demo site leaves in the data folder, so that the next start changes nothing. */
export type DemoState = {
  application: Credentials
  /** Of the site file that was applied. */
  siteHash: string
  /** The data files that are stored whole. */
  loaded: string[]
}

const FILE_NAME = 'demo.json'

export const readState = (dataFolder: string): Promise<DemoState | undefined> =>
  readFile(join(dataFolder, FILE_NAME), 'utf8').then(
    (text) => JSON.parse(text) as DemoState,
    () => undefined,
  )

/** Only its owner may read it: the demo application's secret is in it, to be shown again. */
export async function writeState(dataFolder: string, state: DemoState): Promise<void> {
  const file = join(dataFolder, FILE_NAME)
  await writePrivate(`${file}.new`, JSON.stringify(state))
  await rename(`${file}.new`, file)
}

export const hashSite = async (): Promise<string> => hash('sha256', await readFile(SITE_FILE))

/** Whether the demo site of this version is stored whole. */
export async function isLoaded(state: DemoState | undefined): Promise<boolean> {
  if (state === undefined || state.siteHash !== (await hashSite())) return false
  const files = await listDataFiles(join(DEMO_FOLDER, 'data'))
  return files.every(({ name }) => state.loaded.includes(name))
}
