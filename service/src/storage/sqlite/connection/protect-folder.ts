import { lstat, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { narrow } from '../../private-files.ts'

/** Files that the service makes beside the database, what they begin with. */
const OWN_FILES = ['plumbline.lock', 'plumbline.mark', 'demo.json']

/** Folders that it makes in there, and which of their files are its own. */
const OWN_FOLDERS = [
  { name: 'tls', own: /^(key|certificate|certificate-next)\.pem(\.new)?$/ },
  { name: 'secrets', own: /./ },
] as const

/**
 * Makes the folder of the data where it is missing, and keeps it, the database, the secrets and the
 * certificate of our making for their owner, whoever made them. Says what it narrowed, and what it may not.
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
  const isOwn = (name: string) => [database, ...OWN_FILES].some((own) => name.startsWith(own))
  for (const name of (await readdir(folder)).filter(isOwn))
    await narrow(join(folder, name), 0o600, warn)
  for (const { name, own } of OWN_FOLDERS) await protectWithin(join(folder, name), own, warn)
}

/** A link leads to what somebody else keeps. */
async function protectWithin(
  folder: string,
  own: RegExp,
  warn: (sentence: string) => void,
): Promise<void> {
  const found = await lstat(folder).catch(() => undefined)
  if (!found?.isDirectory()) return
  await narrow(folder, 0o700, warn)
  // Whoever needs what is in there says that it cannot be read.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries)
    if (entry.isFile() && own.test(entry.name)) await narrow(join(folder, entry.name), 0o600, warn)
}
