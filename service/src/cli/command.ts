import type { Writable } from 'node:stream'
import type { ParseArgsOptionsConfig } from 'node:util'

/** The values of a command's own flags, and its other arguments. */
export type Arguments = {
  flags: Readonly<Record<string, string | boolean | undefined>>
  positionals: readonly string[]
}

/** Where a command writes, and what stops it. */
export type Terminal = {
  signal: AbortSignal
  /** Prints a line of the command's result. */
  print(line: string): void
  /** Prints a line that is not part of the result, to stderr. */
  complain(line: string): void
  /** Standard output, for results that are not lines of text. */
  output: Writable
}

export type CommandContext = Arguments &
  Terminal & {
    dataFolder: string
    configFile: string | undefined
  }

export type Command = {
  summary: string
  usage: string
  /** What `--help` says beyond the summary. */
  help: string
  options: ParseArgsOptionsConfig
  run(context: CommandContext): Promise<void>
}

/** The command line is wrong; the message is shown with the usage. */
export class UsageError extends Error {
  override name = 'UsageError'
}
