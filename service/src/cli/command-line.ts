import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { environment } from '../config/env.ts'
import { requireSettingsFile } from '../config/load.ts'
import { DamageError } from '../errors/damage-error.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf, toError } from '../errors/thrown.ts'
import { readText, UsageError, type Command, type Terminal } from './command.ts'
import { explainMachineError } from './machine-errors.ts'

/** A command is loaded when it runs, so that `serve` does not load the others. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  site: async () => (await import('./site.ts')).site,
  app: async () => (await import('./app.ts')).app,
  key: async () => (await import('./key.ts')).key,
  rejects: async () => (await import('./rejects.ts')).rejects,
  import: async () => (await import('./import.ts')).importFiles,
  export: async () => (await import('./export.ts')).exportRecords,
  records: async () => (await import('./records.ts')).records,
  changes: async () => (await import('./changes.ts')).changes,
  undo: async () => (await import('./undo.ts')).undo,
  recompute: async () => (await import('./recompute.ts')).recompute,
  notifications: async () => (await import('./notifications.ts')).notifications,
  maintenance: async () => (await import('./maintenance.ts')).maintenance,
  seal: async () => (await import('./seal.ts')).seal,
  unseal: async () => (await import('./unseal.ts')).unseal,
  retention: async () => (await import('./retention.ts')).retention,
  certificate: async () => (await import('./certificate.ts')).certificate,
  migrate: async () => (await import('./migrate.ts')).migrate,
  doctor: async () => (await import('./doctor.ts')).doctor,
  demo: async () => (await import('./demo.ts')).demo,
}

const COMMON_OPTIONS = {
  data: { type: 'string' },
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig

const COMMON_HELP = `
  --data DIR       the data folder (default ./data, or PLUMBLINE_DATA)
  --config FILE    the settings file (default plumbline.yaml in the data folder, or PLUMBLINE_CONFIG)
  --help           show this help`

/** Runs the command of the arguments and returns the exit code of the process. */
export async function runCommandLine(
  [name = 'help', ...rest]: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { print, printError } = terminal
  if (name === 'help' || name === '--help' || name === '-h') {
    print(await overview())
    return 0
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load === undefined) {
    printError(`Unknown command "${name}".\n\n${await overview()}`)
    return 2
  }
  const command = await load()

  try {
    await run(command, rest, terminal)
    return 0
  } catch (error) {
    if (isUsage(error)) {
      printError(`${describeUsage(error)}\nusage: ${command.usage}`)
      return 2
    }
    printError(explainFailure(error))
    return 1
  }
}

async function run(command: Command, args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { ...command.options, ...COMMON_OPTIONS },
    allowPositionals: true,
  })
  const flags = Object.fromEntries(Object.entries(values).filter(isSingle))
  if (flags['help'] === true) return terminal.print(describe(command))
  const dataFolder = String(flags['data'] ?? environment['PLUMBLINE_DATA'] ?? 'data')
  const configFile = readText(flags, 'config')
  await requireSettingsFile(dataFolder, configFile)
  await command.run({ ...terminal, flags, positionals, dataFolder, configFile })
}

const isSingle = <Value>(entry: [string, Value | Value[]]): entry is [string, Value] =>
  !Array.isArray(entry[1])

const isUsage = (error: unknown): error is Error =>
  error instanceof UsageError || codeOf(error)?.startsWith('ERR_PARSE_ARGS') === true

/** The message of a wrong command line, without Node's advice about positional arguments. */
const describeUsage = ({ message }: Error): string => message.replace(/\. To specify a .*/s, '.')

/** The message of a refused command, damage or machine failure; any other error with its stack. */
export function explainFailure(thrown: unknown): string {
  const error = toError(thrown)
  if (error instanceof RefusedError || error instanceof DamageError) return error.message
  return explainMachineError(error) ?? error.stack ?? error.message
}

async function overview(): Promise<string> {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  const lines = Object.entries(COMMANDS).map(
    async ([name, load]) => `  ${name.padEnd(width)}   ${(await load()).summary}`,
  )
  return `plumbline: a data service for structural health monitoring\n\n${(await Promise.all(lines)).join('\n')}\n\nRun "plumbline COMMAND --help" for details.`
}

const describe = ({ usage, summary, help }: Command): string =>
  `usage: ${usage}\n\n${summary}\n\n${help}\n${COMMON_HELP}`
