import { chmod, mkdir, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

const OTHERS = 0o077

/**
 * Makes the folder of the data where it is missing, and keeps it and the database for their owner,
 * whoever made them. Says what it narrowed, and what it may not.
 *
 * SQLite gives the files beside the database the rights of the database itself.
 */
export async function protectFolder(
  folder: string,
  database: string,
  warn: (sentence: string) => void,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await narrow(folder, 0o700, warn)
  // Where it cannot be made, SQLite says why.
  const made = await open(join(folder, database), 'ax', 0o600).catch(() => undefined)
  await made?.close()
  const names = await readdir(folder)
  for (const name of names.filter((one) => one.startsWith(database)))
    await narrow(join(folder, name), 0o600, warn)
}

async function narrow(path: string, mode: number, warn: (sentence: string) => void): Promise<void> {
  // Windows has other rights, which these bits do not show.
  if (process.platform === 'win32') return
  try {
    const found = (await stat(path)).mode & 0o777
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

const show = (mode: number): string => `mode ${mode.toString(8).padStart(4, '0')}`
