import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { inShare } from '../../background/cpu-share.ts'
import { BASE_DATABASE } from './generation.ts'

const BYTES_AT_ONCE = 1024 * 1024

/** Copying takes this part of the time, so that it leaves the disk to the service. */
const SHARE = 0.5

type BaseCopy = {
  /** The database, which others write meanwhile. */
  database: FileHandle
  /** The folder of the generation. */
  folder: string
  signal: AbortSignal
  progress(done: number, total: number): void
}

/**
 * Copies the database file as it is, page by page. The copy is of no moment: it becomes whole by the
 * pieces with all pages that were changed meanwhile.
 */
export async function copyBase({ database, folder, signal, progress }: BaseCopy): Promise<void> {
  await using target = await open(join(folder, BASE_DATABASE), 'wx', 0o600)
  const buffer = Buffer.alloc(BYTES_AT_ONCE)
  for (let at = 0; ;) {
    signal.throwIfAborted()
    const copied = await inShare({ share: SHARE, signal }, async () => {
      const { bytesRead } = await database.read(buffer, 0, buffer.length, at)
      await writeWhole(target, buffer.subarray(0, bytesRead), at)
      return bytesRead
    })
    at += copied
    if (copied === 0) break
    progress(at, (await database.stat()).size)
  }
  await target.sync()
}

/** A disk that is nearly full takes a part. */
async function writeWhole(target: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await target.write(bytes, done, bytes.length - done, at + done)).bytesWritten
}
