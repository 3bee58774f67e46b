import { createInterface } from 'node:readline'
import type { Terminal } from './command.ts'

/** Asks on the terminal of the process; undefined where it has none. */
export function questionsOf(
  { stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>,
  signal: AbortSignal,
): Terminal['ask'] {
  if (!stdin.isTTY || !stderr.isTTY) return undefined
  return (question) => {
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
