import type { Storage } from '../storage/storage.ts'
import { checkStorageProblem, findStorageProblem } from '../storage/storage-problem.ts'
import { openNotifier, watchdogMilliseconds } from './notifier.ts'

/** Signs of life in the time that the service manager waits for one. */
const SIGNS = 3

/** The interval of the status where no sign of life is expected. */
const STATUS_MILLISECONDS = 60_000

type SupervisionOptions = {
  environment: Readonly<Record<string, string | undefined>>
  pid: number
  origin: string
  storage: Pick<Storage, 'check' | 'state'>
  log: { warn(sentence: string): void }
}

/**
 * Tells the service manager that the service is ready, how it is, and that it stops; does nothing where
 * no service manager has started the process.
 *
 * A sign of life follows each answer of the storage, a failure included: a full disk or a database
 * server that is gone is not mended by a restart, and what is stored is still served. Without an
 * answer and without a known problem there is no sign.
 */
export async function superviseService(options: SupervisionOptions): Promise<AsyncDisposable> {
  const { environment, pid, origin, storage } = options
  const notifier = openNotifier(options)
  if (notifier === undefined) return { [Symbol.asyncDispose]: async () => {} }

  const watchdog = watchdogMilliseconds(environment, pid)
  const ready = `STATUS=Ready at ${origin}.`
  let lastStatus = ready
  const report = async (problem: string | undefined): Promise<void> => {
    const status = problem === undefined ? ready : `STATUS=Not ready: ${problem}`
    const lines = [...(status === lastStatus ? [] : [status]), ...(watchdog ? ['WATCHDOG=1'] : [])]
    lastStatus = status
    if (lines.length > 0) await notifier.send(...lines)
  }

  let isChecking = false
  let isStopping = false
  const check = async (): Promise<void> => {
    if (isChecking) {
      const problem = findStorageProblem(storage)
      if (problem !== undefined) await report(problem)
      return
    }
    isChecking = true
    const problem = await checkStorageProblem(storage)
    isChecking = false
    if (!isStopping) await report(problem)
  }

  await notifier.send('READY=1', ready)
  const everyMilliseconds = watchdog === undefined ? STATUS_MILLISECONDS : watchdog / SIGNS
  const timer = setInterval(() => void check(), everyMilliseconds)
  return {
    async [Symbol.asyncDispose]() {
      isStopping = true
      clearInterval(timer)
      await notifier.send('STOPPING=1', 'STATUS=Stopping.')
    },
  }
}
