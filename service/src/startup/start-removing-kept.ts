import { startJob, type Job } from '../background/job.ts'
import { countOf } from '../errors/show.ts'
import { DATABASE_FILE } from '../storage/sqlite/connection/main-connection.ts'
import { listKept, removeKept } from '../storage/sqlite/kept/kept-databases.ts'
import type { Storage } from '../storage/storage.ts'
import { checkStorageProblem } from '../storage/storage-problem.ts'

const EVERY_MILLISECONDS = 60_000

type RemoveKeptOptions = {
  folder: string
  storage: Pick<Storage, 'check'>
  /** Why the service is not ready though it can store, as a sentence. */
  findProblem(): string | undefined
  log: { warn(sentence: string): void; info(sentence: string): void }
  /** How long the service has to be ready without a break. */
  keepMinutes: number
}

/** Removes the database of before an upgrade once this version has served well. */
export function startRemovingKept({
  folder,
  storage,
  findProblem,
  log,
  keepMinutes,
}: RemoveKeptOptions): Job {
  let readySince: number | undefined
  return startJob({
    name: 'Removal of the database of before the upgrade',
    log,
    everyMilliseconds: EVERY_MILLISECONDS,
    firstMilliseconds: 0,
    async run() {
      if (listKept(folder, DATABASE_FILE).length === 0) return
      if (((await checkStorageProblem(storage)) ?? findProblem()) !== undefined) {
        readySince = undefined
        return
      }
      readySince ??= performance.now()
      if (performance.now() - readySince < keepMinutes * 60_000) return
      for (const file of removeKept(folder, DATABASE_FILE))
        log.info(
          `${file}, the database of before the upgrade, was removed: this version has been ready for ${countOf(keepMinutes, 'minute')}.`,
        )
    },
  })
}
