import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { RefusedError } from '../../../errors/refused-error.ts'
import { excludeServing } from '../connection/serving-lock.ts'
import { FolderUse } from '../connection/use-lock.ts'
import { unmarkLog } from '../write-ahead-log/log-mark.ts'
import { syncFolder } from '../../sync-to-disk.ts'
import { carryLastIds } from './carry-last-ids.ts'
import { listKept, versionOfFile } from './kept-databases.ts'

/** Which database takes the place of the current one, and where the current one goes. */
export type Return = {
  from: number
  to: number
  /** The kept file, and when the database was copied to it. */
  kept: string
  keptAt: number
  /** The file to which the current database is moved. */
  aside: string
}

/** Says what a return to the database of before the latest migration would do; changes nothing. */
export function planReturn(folder: string, database: string): Return {
  const [latest] = listKept(folder, database)
  const file = join(folder, database)
  const from = existsSync(file) ? (versionOfFile(file) ?? 0) : 0
  if (latest === undefined)
    throw new RefusedError(
      'absent',
      `There is no ${database}.before-VERSION in ${folder}: no database of before an upgrade is kept. Restore a backup instead.`,
    )
  const to = versionOfFile(latest.file)
  if (to === undefined)
    throw new RefusedError('invalid', `${latest.file} is no database. Restore a backup instead.`)
  const aside = `${file}.after-${latest.before}`
  return { from, to, kept: latest.file, keptAt: statSync(latest.file).mtimeMs, aside }
}

/** Puts a kept database in the place of the current one. After an interruption the same call goes on. */
export async function returnToKept(folder: string, database: string, plan: Return): Promise<void> {
  const { kept, aside } = plan
  const file = join(folder, database)
  using _alone = useAlone(folder)
  if (existsSync(aside) && !isSame(aside, file))
    throw new RefusedError(
      'invalid',
      `${aside} is there already, from an earlier return: move it away first.`,
    )
  carryLastIds(existsSync(file) ? file : aside, kept)
  // A second name before the rename: at no moment is there no database, for which a start would make one.
  if (existsSync(file) && !existsSync(aside)) linkSync(file, aside)
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`)
  rmSync(`${file}-shm`, { force: true })
  renameSync(kept, file)
  syncFolder(folder)
  await unmarkLog(folder, basename(file))
}

const isSame = (one: string, other: string): boolean =>
  existsSync(other) && statSync(one).ino === statSync(other).ino

function useAlone(folder: string): Disposable {
  using failing = new DisposableStack()
  const served = excludeServing(folder)
  if (served === undefined) throw inUseError()
  failing.use(served)
  const use = failing.use(new FolderUse(folder))
  try {
    failing.use(use.takeAlone())
  } catch (error) {
    throw inUseError({ cause: error })
  }
  return failing.move()
}

const inUseError = (options?: ErrorOptions): RefusedError =>
  new RefusedError(
    'unavailable',
    'The database is not replaced while another program uses the data folder. Stop the service and other commands first.',
    options,
  )
