import { createHash } from 'node:crypto'
import { lstat, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { DamageError } from '../errors/damage-error.ts'
import { codeOf } from '../errors/thrown.ts'
import type { BackupFile } from './manifest.ts'

const READ_BYTES = 2 ** 20

export type OnBytes = (bytes: number) => void

/** Reads a file: its length and its SHA-256. */
export async function measureFile(
  folder: string,
  path: string,
  { signal, onBytes = () => {} }: { signal: AbortSignal; onBytes?: OnBytes | undefined },
): Promise<BackupFile> {
  await requireOwnFile(folder, path)
  await using file = await open(join(folder, path), 'r')
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  let bytes = 0
  while (true) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES, bytes)
    if (bytesRead === 0) break
    hash.update(buffer.subarray(0, bytesRead))
    bytes += bytesRead
    onBytes(bytesRead)
  }
  return { path, bytes, sha256: hash.digest('hex') }
}

/** Refuses links, also to folders on the way, and what is no file, such as a pipe. */
async function requireOwnFile(folder: string, path: string): Promise<void> {
  const whole = join(folder, path)
  const isOwn = (await realpath(whole)) === join(await realpath(folder), path)
  if (!isOwn || !(await lstat(whole)).isFile())
    throw new DamageError(`${whole} is a link or no file. Somebody has changed the backup.`)
}

/** Throws a `DamageError` where a file is not the one of the manifest. */
export async function requireIntact(
  folder: string,
  { path, bytes, sha256 }: BackupFile,
  options: { signal: AbortSignal; onBytes?: OnBytes | undefined },
): Promise<void> {
  const found = await measureFile(folder, path, options).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT')
      throw new DamageError(`The file ${join(folder, path)} is missing.`)
    if (codeOf(error) === 'EIO')
      throw new DamageError(`The disk cannot read the file ${join(folder, path)}.`, {
        cause: error,
      })
    throw error
  })
  if (found.bytes === bytes && found.sha256 === sha256) return
  throw new DamageError(
    `The file ${join(folder, path)} is damaged: ${found.bytes === bytes ? 'its checksum is not that of the manifest' : `it has ${found.bytes} bytes instead of ${bytes}`}.`,
  )
}
