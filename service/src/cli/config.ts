import { stat } from 'node:fs/promises'
import type { ResolvedConfig } from '../config/config.ts'
import { findSettingsFile } from '../config/load.ts'
import { maskSecrets } from '../config/mask-secrets.ts'
import { SETTING_NAMES, type SettingName } from '../config/settings.ts'
import { countOf } from '../errors/show.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { checkSettingFiles } from '../startup/check-setting-files.ts'
import { checkStorage } from '../startup/storage-settings.ts'
import { checkTopics } from '../startup/topic-mappings.ts'
import { chooseSubcommand, readListening, type Command, type CommandContext } from './command.ts'
import { loadSettingOrigins } from './load-settings.ts'
import { formatTable } from './table.ts'

export const config: Command = {
  summary: 'check the settings, and show which apply',
  usage: 'plumbline config check [--all] [--host ADDRESS] [--port PORT] [--workers N] [--json]',
  help: `  check            check the settings file, the environment and the flags of "plumbline serve". Prints each
                   setting that has not its default, its value and where it comes from. Secrets are
                   masked. If settings are wrong, prints all problems, with their lines, and exits with 1.
                   Files of secrets and certificates must be readable: run it as the user of the service.

  --all            also print the settings that have their defaults
  --host ADDRESS   check as if "plumbline serve" had this flag
  --port PORT      check as if "plumbline serve" had this flag
  --workers N      check as if "plumbline serve" had this flag
  --json           print JSON, with all settings`,
  options: {
    all: { type: 'boolean' },
    host: { type: 'string' },
    port: { type: 'string' },
    workers: { type: 'string' },
    json: { type: 'boolean' },
  },
  subcommands: ['check'],

  async run(context) {
    await chooseSubcommand({ check }, context)(context)
  },
}

async function check(context: CommandContext): Promise<void> {
  const { dataFolder, configFile, flags, print } = context
  if (flags['data'] !== undefined) await requireFolder(dataFolder)
  const resolved = await loadSettingOrigins(context, { flags: readListening(flags) })
  checkTopics(resolved.config)
  await checkStorage(resolved.config)
  await checkSettingFiles(resolved.config)
  const { name } = findSettingsFile(dataFolder, configFile)
  const settings = SETTING_NAMES.map((setting) => describe(setting, resolved))
  if (flags['json'] === true)
    return print(JSON.stringify({ file: resolved.isFileRead ? name : null, settings }))

  print(resolved.isFileRead ? `Settings file: ${name}` : `There is no settings file ${name}.`)
  const shown = flags['all'] === true ? settings : settings.filter(isGiven)
  const rows = shown.map(({ name: setting, value, from }) => [setting, showValue(value), from])
  if (rows.length > 0)
    for (const line of formatTable(['setting', 'value', 'from'], rows)) print(line)
  const left = settings.length - shown.length
  if (left > 0) print(`${countOf(left, 'setting')} with defaults: --all prints them.`)
  print('The settings are correct.')
}

type ShownSetting = { name: SettingName; value: unknown; source: string; from: string }

function describe(name: SettingName, { config: values, origins }: ResolvedConfig): ShownSetting {
  const { source, name: origin, line } = origins.get(name) ?? { source: 'default', name: 'default' }
  const from = line === undefined ? origin : `${origin}:${line}`
  return { name, value: maskSecrets(name, values[name]), source, from }
}

const isGiven = ({ source }: ShownSetting): boolean => source !== 'default'

const showValue = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? value : JSON.stringify(value)

async function requireFolder(folder: string): Promise<void> {
  await stat(folder).catch(() => {
    throw new RefusedError('absent', `There is no folder ${folder}: check --data.`)
  })
}
