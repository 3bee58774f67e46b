import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Terminal } from './command.ts'

type Streams = {
  stdin: Readable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
}

/** Asks on the terminal of a process, on standard error; undefined where it has none. */
export function questionsOf({ stdin, stderr }: Streams, signal: AbortSignal): Terminal['ask'] {
  if (!stdin.isTTY || !stderr.isTTY) return undefined
  return (question) => {
    if (signal.aborted) return Promise.resolve('')
    const answer = Promise.withResolvers<string>()
    // Without `terminal` the system handles the keys: Ctrl-C is a signal to the process.
    const lines = createInterface({ input: stdin, output: stderr, terminal: false })
    const stop = (): void => lines.close()
    signal.addEventListener('abort', stop)
    lines.on('close', () => {
      signal.removeEventListener('abort', stop)
      answer.resolve('')
    })
    lines.question(question, (text) => {
      answer.resolve(text)
      lines.close()
    })
    return answer.promise
  }
}
