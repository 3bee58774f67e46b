import { constants, getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { RefusedError } from '../errors/refused-error.ts'
import type { Task, TaskReply } from './task-thread.ts'

/** So much it steps back: where all processors are busy, those who only fetch a record come first. */
const NICE = 10

type Tasks<Result> = Readonly<Record<string, (...given: never[]) => Result>>

/**
 * Makes the module that calls it the program of a `TaskThread`, which does these tasks.
 *
 * The memory of a result is handed over where `memoryOf` says so, and copied where it does not.
 */
export function runTasks<Result>(
  tasks: Tasks<Result>,
  memoryOf: (result: Result) => ArrayBuffer[],
): void {
  // Linux alone has priorities of threads; elsewhere it would be the whole service that steps back.
  if (platform() === 'linux')
    setPriority(Math.min(getPriority() + NICE, constants.priority.PRIORITY_LOW))

  parentPort!.on('message', ({ id, name, given }: Task & { id: number }) => {
    try {
      const result = tasks[name]!(...(given as never[]))
      response({ id, result }, memoryOf(result))
    } catch (error) {
      const { message } = error as Error
      response(error instanceof RefusedError ? { id, refusal: message } : { id, failure: message })
    }
  })
}

const response = (message: TaskReply, moved: ArrayBuffer[] = []): void =>
  parentPort!.postMessage(message, moved)
