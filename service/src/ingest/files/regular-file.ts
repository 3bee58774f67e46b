import { constants, type BigIntStats } from 'node:fs'
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Neither follows a link nor waits for the other end of a FIFO; Windows knows neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** What something is that cannot be read as a file. */
export class NotRegularError extends Error {
  override name = 'NotRegularError'
}

/** Size and time of change of what a path itself names; anything but a regular file is refused. */
export async function statRegular(path: string): Promise<{ size: number; mtimeMs: number }> {
  const { size, mtimeNs } = requireRegular(await lstat(path, { bigint: true }))
  return { size: Number(size), mtimeMs: Number(mtimeNs) / 1e6 }
}

/**
 * Opens a regular file that lies in a folder, and nothing else.
 *
 * `path` is in a folder whose own path holds no link. A file that lies elsewhere, since a link was
 * in the way for a moment, is absent.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  await statRegular(path)
  const handle = await open(path, FLAGS).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' ? new NotRegularError(describe('a symbolic link')) : error
  })
  try {
    const opened = requireRegular(await handle.stat({ bigint: true }))
    if (!(await liesAt(handle, opened, path)))
      throw Object.assign(new Error('it was exchanged while it was opened'), { code: 'ENOENT' })
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Linux says where an open file lies; elsewhere it is held against what lies there now. */
async function liesAt(handle: FileHandle, opened: BigIntStats, path: string): Promise<boolean> {
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
