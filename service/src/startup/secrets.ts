import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../errors/thrown.ts'
import { writePrivate } from '../storage/private-files.ts'

const SECRET_BYTES = 32

/** A random secret of the data folder, made once and readable only by its owner. */
export async function ensureSecret(dataFolder: string, name: string): Promise<Uint8Array> {
  const folder = join(dataFolder, 'secrets')
  const file = join(folder, name)
  const secret = await readFile(file).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
  // Every start but the first returns here, so that it works on a full disk.
  if (secret !== undefined) return secret
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.new`
  await writePrivate(temporary, randomBytes(SECRET_BYTES))
  // Linking fails where another process has made the secret first, which is then used.
  await link(temporary, file).catch((error) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
  await unlink(temporary)
  return readFile(file)
}
