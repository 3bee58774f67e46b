import { chooseSubcommand, type Command } from './command.ts'
import { COMMON_OPTIONS, loadCommands } from './commands.ts'

export const completion: Command = {
  summary: 'print the completion script of a shell',
  usage: 'plumbline completion bash|zsh|fish',
  help: `Prints a script by which a shell completes commands, subcommands and flags of "plumbline". It needs
"plumbline" in the path of the shell.

  bash   in ~/.bashrc:                   source <(plumbline completion bash)
  zsh    in ~/.zshrc, after "compinit":  source <(plumbline completion zsh)
  fish   once:                           plumbline completion fish > ~/.config/fish/completions/plumbline.fish`,
  options: {},
  subcommands: ['bash', 'zsh', 'fish'],

  async run(context) {
    const write = chooseSubcommand(SHELLS, context)
    context.print(write(await listWords()))
  },
}

/** What can follow a command. */
type CommandWords = {
  name: string
  summary: string
  subcommands: readonly string[]
  flags: readonly string[]
}

const SHELLS: Readonly<Record<string, (commands: readonly CommandWords[]) => string>> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
}

async function listWords(): Promise<CommandWords[]> {
  const commands = await loadCommands()
  return commands.map(({ name, command: { summary, subcommands = [], options } }) => ({
    name,
    summary,
    subcommands,
    flags: Object.keys({ ...options, ...COMMON_OPTIONS }),
  }))
}

const flagsOf = ({ flags }: CommandWords): string => flags.map((flag) => `--${flag}`).join(' ')

function writeBash(commands: readonly CommandWords[]): string {
  const cases = commands.map(
    (command) =>
      `    ${command.name}) subcommands='${command.subcommands.join(' ')}' flags='${flagsOf(command)}' ;;`,
  )
  return `_plumbline() {
  local current=\${COMP_WORDS[COMP_CWORD]} subcommands= flags=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${namesOf(commands)} --help --version' -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *)
      if [ "$COMP_CWORD" -eq 2 ] && [ -n "$subcommands" ]; then
        COMPREPLY=($(compgen -W "$subcommands" -- "$current"))
      else
        COMPREPLY=($(compgen -f -- "$current"))
      fi
      ;;
  esac
}
complete -o filenames -F _plumbline plumbline`
}

function writeZsh(commands: readonly CommandWords[]): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${summary}'`)
  const cases = commands.map(
    (command) =>
      `    ${command.name}) subcommands=(${command.subcommands.join(' ')}) flags=(${flagsOf(command)}) ;;`,
  )
  return `#compdef plumbline
_plumbline() {
  local -a commands subcommands flags
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
${cases.join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    compadd -- $flags
  elif (( CURRENT == 3 && $#subcommands )); then
    compadd -- $subcommands
  else
    _files
  fi
}
compdef _plumbline plumbline`
}

function writeFish(commands: readonly CommandWords[]): string {
  return commands.flatMap(fishLines).join('\n')
}

function fishLines({ name, summary, subcommands, flags }: CommandWords): string[] {
  const isCommand = `__fish_seen_subcommand_from ${name}`
  return [
    `complete -c plumbline -n __fish_use_subcommand -f -a ${name} -d '${summary}'`,
    ...(subcommands.length === 0
      ? []
      : [
          `complete -c plumbline -n '${isCommand}; and test (count (commandline -opc)) -eq 2' -f -a '${subcommands.join(' ')}'`,
        ]),
    ...flags.map((flag) => `complete -c plumbline -n '${isCommand}' -l ${flag}`),
  ]
}

const namesOf = (commands: readonly CommandWords[]): string =>
  commands.map(({ name }) => name).join(' ')
