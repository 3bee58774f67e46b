import { RefusedError } from '../../../errors/refused-error.ts'
import { hasNoInodes } from './free-inodes.ts'

/** Seconds after which a client repeats a write that was refused. */
export const RETRY_SECONDS = 5

/** Whether SQLite says with this code that the file itself is damaged. */
export const isMalformed = (code: string | undefined): code is string =>
  code !== undefined && /^SQLITE_(CORRUPT|NOTADB)/.test(code)

/** Errors that an operator can end while the service runs: space, rights, a lock. */
const TEMPORARY = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM)/

/** Whether an error with this code ends when an operator has removed its cause. */
export const isTemporary = (code: string | undefined): code is string =>
  code !== undefined && TEMPORARY.test(code)

/** The file that connections share is small: creating it fails where the disk has no space at all. */
const FULL = /^SQLITE_(FULL|IOERR_SHM(OPEN|SIZE))$/

/** The codes of a file that cannot be created. */
const NO_FILE = /^SQLITE_(CANTOPEN|IOERR_SHMOPEN)/

/** Why an error with this code stops every write, as a part of a sentence. */
export function explainBlockedWrites(code: string, folder: string): string {
  if (NO_FILE.test(code) && hasNoInodes(folder))
    return 'the disk has no free inodes for a further file'
  return FULL.test(code) ? 'the disk is full' : `the database answers ${code}`
}

/** Refuses a write while nothing can be stored. */
export const notStoredError = (code: string, folder: string): RefusedError =>
  new RefusedError(
    'unavailable',
    `Nothing can be stored at the moment: ${explainBlockedWrites(code, folder)}.`,
    { retryAfterSeconds: RETRY_SECONDS },
  )
