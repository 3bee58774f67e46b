import { explainFailure, runCommandLine } from './cli/command-line.ts'
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
    // The command has failed already, and nothing listens to the signal any more.
    if (process.exitCode) process.exit()
    const step = signals.take(performance.now())
    if (step === 'stop') stop.abort()
    if (step === 'now') process.exit(code)
  })

/** The service keeps running when its output cannot be written. */
let lostOutput: Error | undefined
process.stdout.on('error', (error) => {
  lostOutput ??= error
})
process.stderr.on('error', () => undefined)

const writeLine = (stream: NodeJS.WriteStream) => (line: string) => void stream.write(`${line}\n`)
const complain = writeLine(process.stderr)

/** A command whose output was not written has failed, unless the reader closed the pipe. */
async function endOutput(): Promise<number> {
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
  if (lostOutput === undefined) return 0
  const isGone = (lostOutput as NodeJS.ErrnoException).code === 'EPIPE'
  if (isGone) return 0
  complain(`Could not write the output: ${explainFailure(lostOutput)}`)
  return 1
}

const args = process.argv.slice(2)
const code = await runCommandLine(args, {
  signal: stop.signal,
  print: writeLine(process.stdout),
  complain,
  output: process.stdout,
})
process.exitCode = code === 0 && args[0] !== 'serve' ? await endOutput() : code
// Resources that a failure left open must not keep the process alive.
if (process.exitCode !== 0)
  setTimeout(() => {
    complain('Some resources could not be closed; the process exits anyway.')
    process.exit()
  }, CLOSE_MILLISECONDS).unref()
