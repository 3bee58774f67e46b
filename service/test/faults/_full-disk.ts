import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { compileShim } from './_shim.ts'

/** The environment of a program whose data folder is on a disk that is full while `flag` exists. */
export async function fullDisk(folder: string, t: TestContext) {
  const scratch = await mkdtemp(join(tmpdir(), 'plumbline-full-'))
  t.after(() => rm(scratch, { recursive: true, force: true }))
  const flag = join(scratch, 'full')
  const fill = () => writeFile(flag, '')
  await fill()
  const environment = {
    LD_PRELOAD: await compileShim('disk-full', scratch),
    FULL_FOLDER: folder,
    FULL_FLAG: flag,
  }
  return { environment, flag, fill }
}
