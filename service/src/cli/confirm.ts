import { RefusedError } from '../errors/refused-error.ts'
import type { CommandContext } from './command.ts'

/**
 * Asks on the terminal whether to go on, after lines that say with what; `--yes` answers. Refuses without
 * a terminal, and where the answer is another one.
 */
export async function confirm(
  { flags, ask, printError }: Pick<CommandContext, 'flags' | 'ask' | 'printError'>,
  lines: readonly string[],
): Promise<void> {
  if (flags['yes'] === true) return
  if (ask === undefined)
    throw new RefusedError(
      'invalid',
      [...lines, 'There is no terminal to confirm this on: add --yes. Nothing was changed.'].join(
        '\n',
      ),
    )
  for (const line of lines) printError(line)
  const answer = await ask('Type "yes" to go on: ')
  if (answer.trim().toLowerCase() !== 'yes')
    throw new RefusedError('invalid', 'Not confirmed. Nothing was changed.')
}
