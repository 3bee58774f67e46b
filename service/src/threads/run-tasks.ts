import { constants, getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { RefusedError } from '../errors/refused-error.ts'
import { toError } from '../errors/thrown.ts'
import type { TaskReply } from './task-thread.ts'

/** The niceness of task threads: requests for records come first while all processors are busy. */
const NICE = 10

type TaskMessage = { id: number; name: string; given: never[] }

/**
 * Makes the calling module the program of a `TaskThread` with these tasks.
 *
 * The memory that `memoryOf` lists for a result is moved to the main thread, the rest is copied.
 */
export function runTasks<Result>(
  tasks: Readonly<Record<string, (...given: never[]) => Result>>,
  memoryOf: (result: Result) => ArrayBuffer[],
): void {
  // Only Linux has priorities of threads; elsewhere the priority is that of the whole process.
  if (platform() === 'linux')
    setPriority(Math.min(getPriority() + NICE, constants.priority.PRIORITY_LOW))

  const port = parentPort
  if (port === null) throw new Error('this module is the program of a thread')
  const reply = (message: TaskReply, moved: ArrayBuffer[] = []): void =>
    port.postMessage(message, moved)

  port.on('message', ({ id, name, given }: TaskMessage) => {
    try {
      const task = tasks[name]
      if (task === undefined) throw new Error(`the thread has no task "${name}"`)
      const result = task(...given)
      reply({ id, result }, memoryOf(result))
    } catch (error) {
      const { message } = toError(error)
      reply(error instanceof RefusedError ? { id, refused: message } : { id, failed: message })
    }
  })
}
