import { parseArgs } from 'node:util'
import { environment } from '../config/env.ts'
import { requireSettingsFile } from '../config/load.ts'
import { SettingsError } from '../config/setting-problems.ts'
import { DamageError } from '../errors/damage-error.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf, toError } from '../errors/thrown.ts'
import { readText, UsageError, type Command, type Terminal } from './command.ts'
import { COMMANDS, COMMON_OPTIONS, loadCommands } from './commands.ts'
import { explainMachineError } from './machine-errors.ts'
import { readVersion } from '../config/version.ts'

/** The flags of every command, as each help ends. */
export const COMMON_HELP = `
  --data DIR       the data folder (default ./data, or PLUMBLINE_DATA)
  --storage URL    where data is stored: sqlite (default), which is the data folder, or
                   postgres://USER@HOST/DATABASE (or PLUMBLINE_STORAGE, or storage.url in the settings file);
                   certificates, secrets and the state of the demo are in the data folder either way
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
  if (name === '--version') {
    print(`plumbline ${readVersion()}`)
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
    const { code = 1, advice } = command.explainUnknown?.(error) ?? {}
    printError([explainFailure(error), advice].filter((line) => line !== undefined).join(' '))
    return code
  }
}

async function run(command: Command, args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { ...command.options, ...COMMON_OPTIONS },
    allowPositionals: true,
  })
  const given = Object.entries(values)
  const flags = Object.fromEntries(given.filter(isSingle))
  const lists = Object.fromEntries(given.flatMap(listOf))
  if (flags['help'] === true) return terminal.print(describe(command))
  const dataFolder = String(flags['data'] ?? environment['PLUMBLINE_DATA'] ?? 'data')
  const configFile = readText(flags, 'config')
  await requireSettingsFile(dataFolder, configFile)
  await command.run({ ...terminal, flags, lists, positionals, dataFolder, configFile })
}

const isSingle = <Value>(entry: [string, Value | Value[]]): entry is [string, Value] =>
  !Array.isArray(entry[1])

type FlagValue = string | boolean | (string | boolean)[] | undefined

const listOf = ([name, value]: [string, FlagValue]): [string, string[]][] =>
  Array.isArray(value) ? [[name, value.map(String)]] : []

const isUsage = (error: unknown): error is Error =>
  error instanceof UsageError ||
  (error instanceof SettingsError && error.isOfFlags) ||
  codeOf(error)?.startsWith('ERR_PARSE_ARGS') === true

/** The message of a wrong command line, without Node's advice about positional arguments. */
const describeUsage = ({ message }: Error): string => message.replace(/\. To specify a .*/s, '.')

/** The message of a refused command, damage or machine failure; any other error with its stack. */
export function explainFailure(thrown: unknown): string {
  const error = toError(thrown)
  if (error instanceof RefusedError || error instanceof DamageError) return error.message
  return explainMachineError(error) ?? error.stack ?? error.message
}

async function overview(): Promise<string> {
  const commands = await loadCommands()
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(
    ({ name, command: { summary } }) => `  ${name.padEnd(width)}   ${summary}`,
  )
  return `plumbline: a data service for structural health monitoring\n\n${lines.join('\n')}\n\nRun "plumbline COMMAND --help" for details, "plumbline --version" for the version.`
}

const describe = ({ usage, summary, help }: Command): string =>
  `usage: ${usage}\n\n${summary}\n\n${help}\n${COMMON_HELP}`
