import { explainFailure, runCommandLine } from './cli/command-line.ts'
import { StopSignals } from './cli/stop-signals.ts'

/** What a failed command leaves open has so long to close. */
const LEFT_OPEN_MILLISECONDS = 10_000

const stop = new AbortController()
const signals = new StopSignals()
for (const [name, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(name, () => {
    // Nobody is left who could end by it.
    if (process.exitCode) process.exit()
    const step = signals.take(performance.now())
    if (step === 'stop') stop.abort()
    if (step === 'now') process.exit(code)
  })

/** What is printed is not the service: it goes on where nobody can read what it says. */
let lostOutput: Error | undefined
process.stdout.on('error', (error) => {
  lostOutput ??= error
})
process.stderr.on('error', () => undefined)

const writeLine = (stream: NodeJS.WriteStream) => (line: string) => void stream.write(`${line}\n`)
const complain = writeLine(process.stderr)

/** A command whose result was not written has failed; a reader that went away has read enough. */
async function endOutput(): Promise<number> {
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
  if (lostOutput === undefined) return 0
  const isGone = (lostOutput as NodeJS.ErrnoException).code === 'EPIPE'
  if (isGone) return 0
  complain(`The result was not written: ${explainFailure(lostOutput)}`)
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
// Whatever a failure left open must not keep the process.
if (process.exitCode !== 0)
  setTimeout(() => {
    complain('Something was still open; the program ended without closing it.')
    process.exit()
  }, LEFT_OPEN_MILLISECONDS).unref()
