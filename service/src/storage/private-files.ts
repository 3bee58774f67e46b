import { chmod, open, stat } from 'node:fs/promises'
import { codeOf, toError } from '../errors/thrown.ts'

const OTHERS = 0o077

/** The group may read a file of the operator, who chooses its members. */
const NOT_IN_GROUP = 0o027

type Warn = (sentence: string) => void

/** Writes a file that only its owner can read, whatever the umask and the permissions were. */
export async function writePrivate(file: string, content: string | Uint8Array): Promise<void> {
  await using handle = await open(file, 'w', 0o600)
  // Where that is not allowed, `protectFolder` warns of it at the next start.
  await handle.chmod(0o600).catch(() => undefined)
  await handle.writeFile(content)
  await handle.sync()
}

/** Restricts a file or folder to its owner. Warns of each that it restricts or cannot restrict. */
export async function restrictToOwner(path: string, mode: number, warn: Warn): Promise<void> {
  try {
    const found = await modeOf(path)
    if ((found & OTHERS) === 0) return
    await chmod(path, mode)
    warn(`${path} was accessible to other users (${show(found)}); it has ${show(mode)} now.`)
  } catch (error) {
    const code = codeOf(error)
    // Another process has closed the database, which removes the files beside it.
    if (code === 'ENOENT') return
    if (code !== 'EPERM' && code !== 'EROFS' && code !== 'ENOTSUP') throw error
    warn(
      `${path} is accessible to other users, and its mode cannot be changed (${toError(error).message}). Its owner has to change it.`,
    )
  }
}

/** Warns of a file of the operator that others can read or write; does not change it. */
export async function warnOfOpen(
  file: string,
  { name, why }: { name: string; why: string },
  warn: Warn,
): Promise<void> {
  const found = await modeOf(file).catch(() => 0)
  if ((found & NOT_IN_GROUP) === 0) return
  warn(
    `${name} ${file} is accessible to other users (${show(found)}). ${why}: run "chmod 600 ${file}".`,
  )
}

/** The permissions of a file; 0 on Windows, where these bits mean nothing. */
const modeOf = async (path: string): Promise<number> =>
  process.platform === 'win32' ? 0 : (await stat(path)).mode & 0o777

const show = (mode: number): string => `mode ${mode.toString(8).padStart(4, '0')}`
