import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { compileShim } from './_shim.ts'

/** Without room for bytes, or for a further file. */
export type Lack = 'bytes' | 'inodes'

const SHIMS = { bytes: 'disk-full', inodes: 'no-inodes' }

/** The environment of a program whose data folder is on a disk that is full while `flag` exists. */
export async function fullDisk(folder: string, t: TestContext, lack: Lack = 'bytes') {
  const scratch = await mkdtemp(join(tmpdir(), 'plumbline-full-'))
  t.after(() => rm(scratch, { recursive: true, force: true }))
  const flag = join(scratch, 'full')
  const fill = () => writeFile(flag, '')
  await fill()
  const environment = {
    LD_PRELOAD: await compileShim(SHIMS[lack], scratch),
    FULL_FOLDER: folder,
    FULL_FLAG: flag,
  }
  return { environment, flag, fill }
}
