import { copyFile, mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { DEMO_FOLDER } from './demo-state.ts'

/** Copies the clips of the demo's cameras into the data folder, where `file:` sources are. */
export async function copyClips(dataFolder: string): Promise<void> {
  const [from, to] = [join(DEMO_FOLDER, 'cameras'), join(dataFolder, 'cameras')]
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const name of await readdir(from)) {
    await copyFile(join(from, name), join(to, `${name}.new`))
    await rename(join(to, `${name}.new`), join(to, name))
  }
}
