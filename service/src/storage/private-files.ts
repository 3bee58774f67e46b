import { chmod, open, stat } from 'node:fs/promises'

const OTHERS = 0o077

/** Whom an operator puts into the group of a file may read it. */
const NOT_IN_GROUP = 0o027

type Warn = (sentence: string) => void

/** Writes a file that only its owner reads, whatever the umask is and whatever was there. */
export async function writePrivate(file: string, content: string | Uint8Array): Promise<void> {
  await using handle = await open(file, 'w', 0o600)
  // Where that is not allowed, the next one to open the folder says so.
  await handle.chmod(0o600).catch(() => undefined)
  await handle.writeFile(content)
  await handle.sync()
}

/** Closes a file or folder of ours to others. Says what it closed, and what it may not. */
export async function restrictToOwner(path: string, mode: number, warn: Warn): Promise<void> {
  try {
    const found = await modeOf(path)
    if ((found & OTHERS) === 0) return
    await chmod(path, mode)
    warn(`${path} was open to others (${show(found)}); it is ${show(mode)} now.`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // Another process of ours has closed the database, and with it the files beside it.
    if (code === 'ENOENT') return
    if (code !== 'EPERM' && code !== 'EROFS' && code !== 'ENOTSUP') throw error
    warn(`${path} is open to others and cannot be closed to them (${message}). Its owner should.`)
  }
}

/** Warns of a file of the operator that others may read or write, and leaves it as it is. */
export async function warnOfOpen(
  file: string,
  { name, why }: { name: string; why: string },
  warn: Warn,
): Promise<void> {
  const found = await modeOf(file).catch(() => 0)
  if ((found & NOT_IN_GROUP) === 0) return
  warn(`${name} ${file} is open to others (${show(found)}). ${why}: run "chmod 600 ${file}".`)
}

/** Windows has other rights, which these bits do not show. */
const modeOf = async (path: string): Promise<number> =>
  process.platform === 'win32' ? 0 : (await stat(path)).mode & 0o777

const show = (mode: number): string => `mode ${mode.toString(8).padStart(4, '0')}`
