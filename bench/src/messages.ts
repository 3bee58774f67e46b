import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The next message of a forked process, or of the process that forked this one. */
export async function nextMessage<Message>(
  from: ChildProcess | NodeJS.Process,
  options: { signal?: AbortSignal } = {},
): Promise<Message> {
  const [message] = (await once(from, 'message', options)) as [Message]
  return message
}

/** Sends a message to the process that forked this one. */
export function sendToParent(message: object | number): void {
  if (process.send === undefined) throw new Error('this program is started by the benchmark')
  process.send(message)
}
