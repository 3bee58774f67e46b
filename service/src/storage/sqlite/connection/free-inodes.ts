import { statfsSync } from 'node:fs'

/** Whether the disk of a folder can take bytes but no further file; some disks do not tell. */
export function hasNoInodes(folder: string): boolean {
  try {
    const { files, ffree } = statfsSync(folder)
    return files > 0 && ffree === 0
  } catch {
    return false
  }
}
