import type { Writable } from 'node:stream'
import type { ParseArgsOptionsConfig } from 'node:util'
import type { UncheckedSettings } from '../config/config.ts'

/** The flags of a command by name, those that may be repeated apart, and its other arguments. */
export type Arguments = {
  flags: Readonly<Record<string, string | boolean | undefined>>
  lists: Readonly<Record<string, readonly string[]>>
  positionals: readonly string[]
}

/** The input and output of a command, and the signal that stops it. */
export type Terminal = {
  /** Its reason has the name of the signal as its message. */
  signal: AbortSignal
  /** Takes SIGHUP, which ends the process otherwise. */
  onHangUp?: ((listener: () => void) => void) | undefined
  /** Prints a line of the command's result. */
  print(line: string): void
  /** Prints a line that is not part of the result, to stderr. */
  printError(line: string): void
  /** Asks a person and returns the line of the answer; undefined without a terminal. */
  ask?: ((question: string) => Promise<string>) | undefined
  /** Standard output, for results that are not lines of text. */
  output: Writable
}

export type CommandContext = Arguments &
  Terminal & {
    dataFolder: string
    configFile: string | undefined
    /** The values of flags that may be given several times. */
    lists: Readonly<Record<string, readonly string[]>>
  }

export type Command = {
  summary: string
  usage: string
  /** The text of `--help` after the summary. */
  help: string
  options: ParseArgsOptionsConfig
  /** The words of which one is the first argument, for completion. */
  subcommands?: readonly string[]
  run(context: CommandContext): Promise<void>
  /** Tells a failure that answers nothing from an answer that is a failure, which exits with 1. */
  explainUnknown?(error: unknown): { code: number; advice: string } | undefined
}

/** A wrong command line; its message is printed with the usage. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** The subcommand that the first argument names. */
export function chooseSubcommand<Action>(
  subcommands: Readonly<Record<string, Action>>,
  { positionals: [name = ''] }: Pick<Arguments, 'positionals'>,
): Action {
  const action = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  if (action !== undefined) return action
  const expected = Object.keys(subcommands).join(', ')
  throw new UsageError(
    name === ''
      ? `The subcommand is missing; expected: ${expected}.`
      : `Unknown subcommand "${name}"; expected: ${expected}.`,
  )
}

/** Prints the result of a command: with `--json` as JSON, otherwise as lines. */
export function printResult(
  { flags, print }: Pick<CommandContext, 'flags' | 'print'>,
  result: object,
  lines: readonly string[],
): void {
  if (flags['json'] === true) print(JSON.stringify(result))
  else for (const line of lines) print(line)
}

/** Returns what prints lines for people: nothing with `--json`. */
export const textPrinter =
  ({ flags, print }: Pick<CommandContext, 'flags' | 'print'>) =>
  (line: string): void => {
    if (flags['json'] !== true) print(line)
  }

/** The flags of `serve` as settings. */
export const readListening = ({ host, port, workers }: Arguments['flags']): UncheckedSettings => ({
  ...(host === undefined ? {} : { 'http.host': host }),
  ...(port === undefined ? {} : { 'http.port': port }),
  ...(workers === undefined ? {} : { 'http.workers': workers }),
})

/** The text of a flag; undefined without it. */
export function readText(flags: Arguments['flags'], name: string): string | undefined {
  const flag = flags[name]
  return typeof flag === 'string' ? flag : undefined
}
