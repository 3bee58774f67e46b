import { constants, type BigIntStats } from 'node:fs'
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../../errors/thrown.ts'

/** Do not follow a link, do not wait for the other end of a FIFO; Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The path does not name a regular file; the message says what it names. */
class NotRegularError extends Error {
  override name = 'NotRegularError'
}

/** Size and time of change of a regular file; throws for a link and for anything else. */
export async function statRegular(path: string): Promise<{ size: number; mtimeMs: number }> {
  const { size, mtimeNs } = requireRegular(await lstat(path, { bigint: true }))
  return { size: Number(size), mtimeMs: Number(mtimeNs) / 1e6 }
}

/**
 * Opens a regular file of a folder, and nothing else.
 *
 * The folder's path has no symbolic link. A file that a link for a moment put in its place counts as
 * absent.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  await statRegular(path)
  const handle = await open(path, FLAGS).catch((error: unknown) => {
    throw codeOf(error) === 'ELOOP' ? new NotRegularError(describe('a symbolic link')) : error
  })
  try {
    const opened = requireRegular(await handle.stat({ bigint: true }))
    if (!(await isAt(handle, opened, path)))
      throw Object.assign(new Error('it was replaced while it was opened'), { code: 'ENOENT' })
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Linux has the path of an open file; other systems compare it with the file that is there now. */
async function isAt(handle: FileHandle, opened: BigIntStats, path: string): Promise<boolean> {
  const place = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
  if (place !== undefined) return place === path
  const there = await lstat(path, { bigint: true })
  const isSame = opened.dev === there.dev && opened.ino === there.ino
  return isSame && (await realpath(dirname(path))) === dirname(path)
}

function requireRegular(stats: BigIntStats): BigIntStats {
  if (stats.isFile()) return stats
  throw new NotRegularError(describe(kindOf(stats)))
}

const describe = (kind: string): string => `it is ${kind}, and only regular files are read`

function kindOf(stats: BigIntStats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link'
  if (stats.isFIFO()) return 'a FIFO'
  if (stats.isSocket()) return 'a socket'
  if (stats.isCharacterDevice()) return 'a character device'
  if (stats.isBlockDevice()) return 'a block device'
  return 'a folder'
}
