import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { compileShim } from './_shim.ts'

/** What a disk says of itself; what is left out stays as it is. */
export type DiskState = { type?: number; freeBytes?: number }

/** The environment of a program for which the disk of a folder is in another state. */
export async function pretendDisk(folder: string, t: TestContext, state: DiskState = {}) {
  const scratch = await mkdtemp(join(tmpdir(), 'plumbline-disk-'))
  t.after(() => rm(scratch, { recursive: true, force: true }))
  const file = join(scratch, 'state')
  const pretend = async ({ type = 0, freeBytes = -1 }: DiskState) => {
    await writeFile(`${file}.new`, `${type.toString(16)} ${freeBytes}`)
    await rename(`${file}.new`, file)
  }
  await pretend(state)
  const environment = {
    LD_PRELOAD: await compileShim('disk-state', scratch),
    DISK_FOLDER: folder,
    DISK_STATE: file,
  }
  return { environment, pretend }
}
