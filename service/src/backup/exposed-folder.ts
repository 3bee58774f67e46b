import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** What others than the user of the service can do to what a folder holds. */
export type Exposure = { cause: string; remedy: string }

const OTHERS_WRITE = 0o022
const STICKY = 0o1000
const ROOT = 0

/**
 * Why others can change what a folder holds: they can write to it, or can put another one into its place
 * by a folder above it. Root, this user and the owner of the data folder are trusted. Undefined where
 * nobody else can, and on Windows, where modes mean nothing.
 */
export async function findExposure(
  folder: string,
  dataFolder: string,
): Promise<Exposure | undefined> {
  const user = process.getuid?.()
  if (user === undefined) return undefined
  const owner = await stat(dataFolder).then(
    ({ uid }) => uid,
    () => user,
  )
  const trusted = new Set([ROOT, user, owner])
  const [named, real] = [resolve(folder), await realpath(folder)]
  for (const path of new Set([...withParents(real), ...withParents(named)])) {
    const { mode, uid } = await stat(path)
    // In a sticky folder, such as /tmp, nobody replaces what belongs to somebody else.
    const isOpen = path === real || path === named || (mode & STICKY) === 0
    if (isOpen && (mode & OTHERS_WRITE) !== 0)
      return {
        cause: `the folder ${path} can be written by others (mode ${(mode & 0o7777).toString(8).padStart(4, '0')})`,
        remedy: `run "chmod go-w ${path}"`,
      }
    if (!trusted.has(uid))
      return {
        cause: `the folder ${path} belongs to user ${uid}`,
        remedy: `give it to the user of the service with "chown"`,
      }
  }
  return undefined
}

/** Says that others can change what a folder holds, and how to prevent it. */
export const describeExposure = (what: string, { cause, remedy }: Exposure): string =>
  `Others can change ${what}, since ${cause}: ${remedy}.`

function withParents(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [path, ...withParents(parent)]
}
