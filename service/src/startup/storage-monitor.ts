import { startJob, type Job } from '../background/job.ts'
import type { Storage } from '../storage/storage.ts'
import { findStorageProblem } from '../storage/storage-problem.ts'

const INTERVAL_MILLISECONDS = 1_000

type MonitorLog = Record<'error' | 'warn' | 'info', (sentence: string) => void>

/** Checks each second whether the database can be read and written, and logs a problem once. */
export function startStorageMonitor(storage: Pick<Storage, 'state'>, log: MonitorLog): Job {
  let logged: string | undefined
  return startJob({
    name: 'Storage monitoring',
    log,
    everyMilliseconds: INTERVAL_MILLISECONDS,
    firstMilliseconds: 0,
    async run() {
      const problem = findStorageProblem(storage)
      if (problem === logged) return
      if (problem === undefined) log.info('The database can be read and written again.')
      else log.error(problem)
      logged = problem
    },
  })
}
