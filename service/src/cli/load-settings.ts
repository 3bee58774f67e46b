import type { ConfigSources, ResolvedConfig, UncheckedSettings } from '../config/config.ts'
import { loadOrigins } from '../config/load.ts'
import type { Config, SettingName } from '../config/settings.ts'
import type { CommandContext } from './command.ts'

/** What the settings of a command are loaded from. */
export type SettingsContext = Pick<CommandContext, 'dataFolder' | 'configFile' | 'flags'>

type FlagSettings = {
  /** Flags of the command as settings. */
  flags?: UncheckedSettings
  flagNames?: ConfigSources['flagNames']
}

/** Loads the settings of a command, with its flags and `--storage`. A pipe can be read once only. */
export const loadSettings = async (
  context: SettingsContext,
  options: FlagSettings = {},
): Promise<Config> => (await loadSettingOrigins(context, options)).config

/** The same, with where each setting comes from. */
export async function loadSettingOrigins(
  { dataFolder, configFile, flags: { storage } }: SettingsContext,
  { flags = {}, flagNames }: FlagSettings = {},
): Promise<ResolvedConfig & { isFileRead: boolean }> {
  const loaded = await loadOrigins({
    dataFolder,
    file: configFile,
    flags: { ...flags, ...(storage === undefined ? {} : { 'storage.url': storage }) },
    flagNames: { ...flagNames, 'storage.url': 'storage' },
  })
  return { ...loaded, config: withOwnPassword(loaded) }
}

/** A password file of the settings file belongs to the URL there, and is not used for another one. */
function withOwnPassword({ config, origins }: ResolvedConfig): Config {
  const isInFile = (name: SettingName): boolean => origins.get(name)?.source === 'file'
  const isForeign = isInFile('storage.passwordFile') && !isInFile('storage.url')
  return isForeign ? { ...config, 'storage.passwordFile': '' } : config
}
