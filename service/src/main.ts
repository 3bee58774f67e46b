import { questionsOf } from './cli/ask.ts'
import { explainFailure, runCommandLine } from './cli/command-line.ts'
import { isJournal, journalLine } from './cli/journal-line.ts'
import { codeOf } from './errors/thrown.ts'
import { StopSignals } from './cli/stop-signals.ts'

/** Time for a failed command to close what it opened. */
const CLOSE_MILLISECONDS = 10_000

const stop = new AbortController()
const signals = new StopSignals()
for (const [name, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(name, () => {
    // The command has failed already and no longer listens to the signal.
    if (process.exitCode) process.exit()
    const request = signals.take(performance.now())
    if (request === 'stop') stop.abort(new DOMException(name, 'AbortError'))
    if (request === 'now') process.exit(code)
  })

/** The service keeps running when its output cannot be written. */
let lostOutput: Error | undefined
process.stdout.on('error', (error) => {
  lostOutput ??= error
})
process.stderr.on('error', () => undefined)

const writeLine = (stream: NodeJS.WriteStream) => (line: string) => void stream.write(`${line}\n`)
const writeError = writeLine(process.stderr)
const printError = isJournal(process.stderr.fd)
  ? (line: string) => writeError(journalLine(line))
  : writeError

/** Waits for the output; a failure to write it fails the command unless the reader closed the pipe. */
async function endOutput(): Promise<number> {
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
  if (lostOutput === undefined) return 0
  if (codeOf(lostOutput) === 'EPIPE') return 0
  printError(`Could not write the output: ${explainFailure(lostOutput)}`)
  return 1
}

const args = process.argv.slice(2)
const code = await runCommandLine(args, {
  signal: stop.signal,
  onHangUp: (listener) => void process.on('SIGHUP', listener),
  print: writeLine(process.stdout),
  printError,
  ask: questionsOf(process, stop.signal),
  output: process.stdout,
})
process.exitCode = code === 0 && args[0] !== 'serve' ? await endOutput() : code
// Resources that a failure left open must not keep the process alive.
if (process.exitCode !== 0)
  setTimeout(() => {
    printError('Some resources could not be closed; the process exits anyway.')
    process.exit()
  }, CLOSE_MILLISECONDS).unref()
