import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivate } from '../storage/private-files.ts'

/** The last time that what is stored in a folder of backups was read and compared. */
export type Verification = {
  /** In ISO 8601. */
  at: string
  /** The name of the backup that was the newest then. */
  backup: string
  /** A sentence for each damage that was found. */
  damage: string[]
}

const FILE = 'verification.json'

const DAY = 86_400_000

/** What is known of the last verification of a folder of backups; undefined where nothing is. */
export async function readVerification(folder: string): Promise<Verification | undefined> {
  try {
    const { at, backup, damage } = JSON.parse(await readFile(join(folder, FILE), 'utf8'))
    if (Number.isFinite(Date.parse(at)) && Array.isArray(damage)) return { at, backup, damage }
  } catch {
    // It is as good as missing: what is stored is read again.
  }
  return undefined
}

/** Notes a verification for later runs, where this user may write. */
export async function noteVerification(folder: string, verification: Verification): Promise<void> {
  const fresh = join(folder, `${FILE}.new`)
  try {
    await writePrivate(fresh, `${JSON.stringify(verification, undefined, 2)}\n`)
    await rename(fresh, join(folder, FILE))
  } catch {
    // The next run verifies again.
  }
}

/** Whether the last verification is older than some days, or of a later time than now. */
export function isVerificationDue(
  last: Verification | undefined,
  { days, now }: { days: number; now: number },
): boolean {
  const age = last === undefined ? Infinity : now - Date.parse(last.at)
  return age < 0 || age >= days * DAY
}
