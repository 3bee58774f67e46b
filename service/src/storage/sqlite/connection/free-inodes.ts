import { statfsSync } from 'node:fs'

/** Whether the disk of a folder can take no further file; false where the disk does not say so. */
export function hasNoInodes(folder: string): boolean {
  try {
    const { files, ffree } = statfsSync(folder)
    return files > 0 && ffree === 0
  } catch {
    return false
  }
}
