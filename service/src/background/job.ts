import { describeFailure } from '../errors/describe-failure.ts'
import { FailureLog } from './failure-log.ts'
import { WakeUp } from './wake-up.ts'

/** When the runs of a job begin. */
export type JobSchedule = {
  /** The pause between the end of a run and the next run. */
  everyMilliseconds: number
  /** The pause before the first run; default: `everyMilliseconds`. */
  firstMilliseconds?: number | undefined
}

export type JobOptions = JobSchedule & {
  /** The name of the job in the log. */
  name: string
  /** Hears of failures once a minute at most, and of the first run that succeeds again. */
  log: { warn(sentence: string): void; info(sentence: string): void }
  /** A monotonic clock in milliseconds. */
  monotonic?: (() => number) | undefined
  /** Does the work once. When the job stops, it runs to its end or to the signal. */
  run(stop: AbortSignal, wakeUp: WakeUp): Promise<unknown>
}

export type Job = AsyncDisposable & {
  /** Runs at once, or once more after the run under way. */
  wake(): void
  /** Resolves when the first run has ended. */
  readonly firstRun: Promise<void>
}

/** Runs repeatedly, once at a time, until it is disposed; the run under way ends first. */
export function startJob(options: JobOptions): Job {
  const { everyMilliseconds, firstMilliseconds = everyMilliseconds, log, monotonic } = options
  const failures = new FailureLog({
    warn: (sentence) => log.warn(sentence),
    inform: (sentence) => log.info(sentence),
    monotonic,
  })
  const stop = new AbortController()
  const wakeUp = new WakeUp()
  const firstRun = Promise.withResolvers<void>()
  const runAll = async (): Promise<void> => {
    if (firstMilliseconds > 0) await wakeUp.wait(firstMilliseconds)
    while (!stop.signal.aborted) {
      await runOnce(options, failures, stop.signal, wakeUp)
      firstRun.resolve()
      if (!stop.signal.aborted) await wakeUp.wait(everyMilliseconds)
    }
  }
  const running = runAll()
  return {
    wake: () => wakeUp.signal(),
    firstRun: firstRun.promise,
    async [Symbol.asyncDispose]() {
      stop.abort()
      wakeUp.signal()
      await running
    },
  }
}

/** Starts jobs that stop together; an interval of 0 turns a job off. */
export function startJobs(all: readonly JobOptions[]): AsyncDisposable {
  const jobs = all.filter(({ everyMilliseconds }) => everyMilliseconds > 0).map(startJob)
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(jobs.map((job) => job[Symbol.asyncDispose]()))
    },
  }
}

async function runOnce(
  { name, everyMilliseconds, run }: JobOptions,
  failures: FailureLog,
  stop: AbortSignal,
  wakeUp: WakeUp,
): Promise<void> {
  try {
    await run(stop, wakeUp)
    failures.succeed(`${name} succeeded again.`)
  } catch (error) {
    if (stop.aborted && error === stop.reason) return
    failures.fail(describeFailure(name, error, stop.aborted ? undefined : everyMilliseconds))
  }
}
