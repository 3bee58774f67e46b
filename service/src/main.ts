import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { UsageError, type Command } from './cli/command.ts'
import { explainMachineError } from './cli/machine-errors.ts'
import { StopSignals } from './cli/stop-signals.ts'
import { environment } from './config/env.ts'
import { DamageError } from './errors/damage-error.ts'
import { RefusedError } from './errors/refused-error.ts'

/** Each is loaded when it is run: serving needs nothing of the others. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./cli/serve.ts')).serve,
  site: async () => (await import('./cli/site.ts')).site,
  app: async () => (await import('./cli/app.ts')).app,
  key: async () => (await import('./cli/key.ts')).key,
  rejects: async () => (await import('./cli/rejects.ts')).rejects,
  import: async () => (await import('./cli/import.ts')).importFiles,
  export: async () => (await import('./cli/export.ts')).exportRecords,
  records: async () => (await import('./cli/records.ts')).records,
  changes: async () => (await import('./cli/changes.ts')).changes,
  undo: async () => (await import('./cli/undo.ts')).undo,
  recompute: async () => (await import('./cli/recompute.ts')).recompute,
  notifications: async () => (await import('./cli/notifications.ts')).notifications,
  maintenance: async () => (await import('./cli/maintenance.ts')).maintenance,
  seal: async () => (await import('./cli/seal.ts')).seal,
  unseal: async () => (await import('./cli/unseal.ts')).unseal,
  retention: async () => (await import('./cli/retention.ts')).retention,
  migrate: async () => (await import('./cli/migrate.ts')).migrate,
  doctor: async () => (await import('./cli/doctor.ts')).doctor,
  demo: async () => (await import('./cli/demo.ts')).demo,
}

const COMMON_OPTIONS = {
  data: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig

const COMMON_HELP = `
  --data DIR       the data folder (default ./data, or PLUMBLINE_DATA)
  --config FILE    the settings file (default plumbline.yaml in the data folder, or PLUMBLINE_CONFIG)
  --help           show this`

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

async function main([name = 'help', ...rest]: string[]): Promise<number> {
  if (name === 'help' || name === '--help' || name === '-h') return say(await overview())
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load === undefined)
    return complain(`There is no command "${name}".\n\n${await overview()}`, 2)
  const command = await load()

  try {
    const { values, positionals } = parseArgs({
      args: rest,
      options: { ...command.options, ...COMMON_OPTIONS },
      allowPositionals: true,
    })
    if (values['help'] === true) return say(describe(command))
    await command.run({
      flags: values as Record<string, string | boolean | undefined>,
      positionals,
      dataFolder: String(values['data'] ?? environment['PLUMBLINE_DATA'] ?? 'data'),
      configFile: values['config'] as string | undefined,
      signal: stop.signal,
      print: say,
      complain: (line) => void complain(line, 0),
    })
    return name === 'serve' ? 0 : await endOutput()
  } catch (error) {
    if (isUsage(error)) return complain(`${error.message}\nusage: ${command.usage}`, 2)
    if (error instanceof RefusedError || error instanceof DamageError)
      return complain(error.message, 1)
    return complain(explain(error as Error), 1)
  }
}

function say(text: string): 0 {
  process.stdout.write(`${text}\n`)
  return 0
}

function complain(text: string, code: number): number {
  process.stderr.write(`${text}\n`)
  return code
}

/** A command whose result was not written has failed; a reader that went away has read enough. */
async function endOutput(): Promise<number> {
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
  if (lostOutput === undefined) return 0
  const isGone = (lostOutput as NodeJS.ErrnoException).code === 'EPIPE'
  return isGone ? 0 : complain(`The result was not written: ${explain(lostOutput)}`, 1)
}

const isUsage = (error: unknown): error is Error =>
  error instanceof UsageError ||
  String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')

/** Failures of the machine in words; anything else with its stack. */
const explain = (error: Error): string => explainMachineError(error) ?? error.stack ?? error.message

async function overview(): Promise<string> {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  const lines = Object.entries(COMMANDS).map(
    async ([name, load]) => `  ${name.padEnd(width)}   ${(await load()).summary}`,
  )
  return `plumbline: the structural-health-monitoring data service\n\n${(await Promise.all(lines)).join('\n')}\n\nplumbline COMMAND --help says more.`
}

const describe = ({ usage, summary, help }: Command): string =>
  `usage: ${usage}\n\n${summary}\n\n${help}\n${COMMON_HELP}`

process.exitCode = await main(process.argv.slice(2))
// Whatever a failure left open must not keep the process.
if (process.exitCode !== 0)
  setTimeout(() => {
    complain('Something was still open; the program ended without closing it.', 0)
    process.exit()
  }, LEFT_OPEN_MILLISECONDS).unref()
