import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivate } from '../storage/private-files.ts'

const SECRET_BYTES = 32

/** A random secret of this installation, made once and kept where only its owner reads. */
export async function ensureSecret(dataFolder: string, name: string): Promise<Uint8Array> {
  const folder = join(dataFolder, 'secrets')
  const file = join(folder, name)
  const known = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  // It is there at every start but the first, which needs no space then.
  if (known !== undefined) return known
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}.new`
  await writePrivate(fresh, randomBytes(SECRET_BYTES))
  // Linking fails where the secret is there already: whoever came first keeps it.
  await link(fresh, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(fresh)
  return readFile(file)
}
