import { startJob, type Job } from '../background/job.ts'
import { toError } from '../errors/thrown.ts'
import type { StorageState, Storage } from '../storage/storage.ts'

const INTERVAL_MILLISECONDS = 1_000

type MonitorLog = Record<'error' | 'warn' | 'info', (sentence: string) => void>

/** Checks each second whether the database can be read and written, and logs a problem once. */
export function startStorageMonitor({ state }: Pick<Storage, 'state'>, log: MonitorLog): Job {
  let logged: string | undefined
  return startJob({
    name: 'Storage monitoring',
    log,
    everyMilliseconds: INTERVAL_MILLISECONDS,
    firstMilliseconds: 0,
    async run() {
      const problem = findProblem(state)
      if (problem === logged) return
      if (problem === undefined) log.info('The database can be read and written again.')
      else log.error(problem)
      logged = problem
    },
  })
}

/** Why the database cannot be read or written, as far as that is known already. */
export function findProblem(readState: () => StorageState): string | undefined {
  try {
    const { reading, writing } = readState()
    return (reading ?? writing)?.message
  } catch (error) {
    return `The database cannot be read: ${toError(error).message}`
  }
}
