import { lstat, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { restrictToOwner } from '../../private-files.ts'

/** How the names of files begin that the service makes beside the database. */
const OWN_FILES = ['plumbline.lock', 'plumbline.mark', 'demo.json']

/** Folders that the service makes in the data folder, and which of their files are its own. */
const OWN_FOLDERS = [
  { name: 'tls', own: /^(key|certificate|certificate-next)\.pem(\.new)?$/ },
  { name: 'secrets', own: /./ },
] as const

/**
 * Creates a data folder that is missing. Restricts the folder, the database, the secrets and the
 * certificates of the service to their owner, and warns of what it restricts or cannot restrict.
 *
 * SQLite gives the files beside the database the permissions of the database itself. Where the records
 * are on a server, `database` is undefined and no file of that name is made.
 */
export async function protectFolder(
  folder: string,
  database: string | undefined,
  warn: (sentence: string) => void,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await restrictToOwner(folder, 0o700, warn)
  // Where the file cannot be created, SQLite fails with the reason.
  if (database !== undefined)
    await (await open(join(folder, database), 'ax', 0o600).catch(() => undefined))?.close()
  const own = database === undefined ? OWN_FILES : [database, ...OWN_FILES]
  const isOwn = (name: string) => own.some((one) => name.startsWith(one))
  for (const name of (await readdir(folder)).filter(isOwn))
    await restrictToOwner(join(folder, name), 0o600, warn)
  for (const { name, own } of OWN_FOLDERS) await protectWithin(join(folder, name), own, warn)
}

/** Follows no link: what it points to may not be the service's own. */
async function protectWithin(
  folder: string,
  own: RegExp,
  warn: (sentence: string) => void,
): Promise<void> {
  const found = await lstat(folder).catch(() => undefined)
  if (!found?.isDirectory()) return
  await restrictToOwner(folder, 0o700, warn)
  // A folder that cannot be read makes the code fail that reads its files.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries)
    if (entry.isFile() && own.test(entry.name))
      await restrictToOwner(join(folder, entry.name), 0o600, warn)
}
