import { hash } from 'node:crypto'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { writePrivate } from '../storage/private-files.ts'
import { listDataFiles } from './data-files.ts'

export const DEMO_FOLDER = fileURLToPath(new URL('../../../examples/demo-site/', import.meta.url))
export const SITE_FILE = join(DEMO_FOLDER, 'site.yaml')

/** The loaded part of the demo site, kept in the data folder for the next start. */
export type DemoState = Static<typeof DemoState>
const DemoState = Type.Object({
  application: Type.Object({ appId: Type.String(), appSecret: Type.String() }),
  /** With which a person signs in; missing where a version without accounts has loaded the site. */
  account: Type.Optional(Type.Object({ name: Type.String(), password: Type.String() })),
  /** The hash of the site file that was applied. */
  siteHash: Type.String(),
  /** The data files that are stored whole. */
  loaded: Type.Array(Type.String()),
})

const FILE_NAME = 'demo.json'

/** The state in a data folder; undefined where there is none. */
export async function readState(dataFolder: string): Promise<DemoState | undefined> {
  const text = await readFile(join(dataFolder, FILE_NAME), 'utf8').catch(() => 'null')
  const state: unknown = JSON.parse(text)
  return Check(DemoState, state) ? state : undefined
}

/** Writes the state, which only its owner can read: it has the secrets of the demo. */
export async function writeState(dataFolder: string, state: DemoState): Promise<void> {
  const file = join(dataFolder, FILE_NAME)
  await writePrivate(`${file}.new`, JSON.stringify(state))
  await rename(`${file}.new`, file)
}

export const hashSite = async (): Promise<string> => hash('sha256', await readFile(SITE_FILE))

/** Whether the current demo site is stored whole. */
export async function isLoaded(state: DemoState | undefined): Promise<boolean> {
  if (state?.account === undefined || state.siteHash !== (await hashSite())) return false
  const files = await listDataFiles(join(DEMO_FOLDER, 'data'))
  return files.every(({ name }) => state.loaded.includes(name))
}
