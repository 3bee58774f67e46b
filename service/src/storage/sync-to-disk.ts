import { closeSync, fsyncSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { codeOf } from '../errors/thrown.ts'

/** What file systems of networks answer that cannot sync a folder, and need not. */
const NOT_FOR_FOLDERS: ReadonlySet<string | undefined> = new Set([
  'EINVAL',
  'EPERM',
  'ENOTSUP',
  'EISDIR',
])

/** Brings a closed file to the disk. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Makes what was created, renamed and removed in a folder survive a power cut. */
export function syncFolder(folder: string): void {
  // Windows opens no folders.
  if (process.platform === 'win32') return
  try {
    syncFile(folder)
  } catch (error) {
    if (!NOT_FOR_FOLDERS.has(codeOf(error))) throw error
  }
}

/** The same of a folder on a disk that may not answer: others go on meanwhile. */
export async function syncSlowFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync().catch((error: unknown) => {
    if (!NOT_FOR_FOLDERS.has(codeOf(error))) throw error
  })
}
