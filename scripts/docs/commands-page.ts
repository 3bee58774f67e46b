import { COMMON_HELP } from '../../service/src/cli/command-line.ts'
import { loadCommands } from '../../service/src/cli/commands.ts'

/** Writes the page of all commands from their own help. */
export async function writeCommandsPage(): Promise<string> {
  const commands = await loadCommands()
  const sections = commands.map(
    ({ name, command: { summary, usage, help } }) =>
      `## ${name}\n\n${toSentence(summary)}\n\n${toBlock(usage)}\n\n${toBlock(help)}\n`,
  )
  return `${HEAD}\n${toBlock(COMMON_HELP)}\n\n${sections.join('\n')}`
}

const HEAD = `# Commands

The help of each command, as \`plumbline COMMAND --help\` prints it. In a checkout the command is \`npx plumbline\`. It exits with 0 after success, 1 after a failure and 2 for a wrong command line ([scripts and shells](operating.md#scripts-and-shells)).

Every command takes
`

const toBlock = (text: string): string => `\`\`\`text\n${text.replace(/^\n+|\s+$/g, '')}\n\`\`\``

const toSentence = (summary: string): string =>
  `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
