import { dirname } from 'node:path'
import { checkConsistency } from './check-consistency.ts'
import { readSections, type FileValue } from './read-sections.ts'
import { readSetting } from './read-setting.ts'
import { resolvePaths } from './setting-paths.ts'
import { SettingProblems, type SettingOrigin, type SettingsFile } from './setting-problems.ts'
import {
  environmentName,
  SETTING_NAMES,
  SETTINGS,
  type Config,
  type SettingName,
} from './settings.ts'
import { suggestVariable } from './suggest-setting.ts'

/** Values of settings that are not checked yet. */
export type UncheckedSettings = Partial<Record<SettingName, unknown>>

/** The sources of settings in the order of their precedence. */
export type ConfigSources = {
  flags: UncheckedSettings
  /** Names of flags that differ from the names of their settings. */
  flagNames?: Partial<Record<SettingName, string>> | undefined
  environment: Readonly<Record<string, string | undefined>>
  file?: SettingsFile | undefined
}

/** The values of all settings, and where each comes from. */
export type ResolvedConfig = {
  config: Config
  origins: ReadonlyMap<SettingName, SettingOrigin>
}

/** Takes each setting from the flags, the environment, the file or its default. */
export const resolveConfig = (sources: ConfigSources): Config => resolveOrigins(sources).config

/** Resolves the settings with their origins; refuses wrong and unknown ones, all of them at once. */
export function resolveOrigins(sources: ConfigSources): ResolvedConfig {
  const problems = new SettingProblems(sources.file)
  const inFile = readSections(sources.file?.sections, (path, sentence) =>
    problems.addToFile(path, sentence),
  )
  reportUnknownVariables(sources.environment, problems)

  const origins = new Map<SettingName, SettingOrigin>()
  const refused = new Set<SettingName>()
  const values = SETTING_NAMES.map((name) => {
    const { origin, input, where } = findGiven(name, sources, inFile)
    origins.set(name, origin)
    if (origin.source === 'default') return [name, input]
    const value = readSetting(name, input, where, (path, sentence) =>
      problems.add(origin, path, sentence),
    )
    if (value === undefined) refused.add(name)
    return [
      name,
      origin.source === 'file' ? resolvePaths(name, value, dirname(origin.name)) : value,
    ]
  })
  const config = Object.fromEntries(values) as Config
  checkConsistency(config, refused, (name, path, sentence) =>
    problems.add(origins.get(name) ?? DEFAULT, path, sentence),
  )
  problems.throwIfAny()
  return { config, origins }
}

const DEFAULT: SettingOrigin = { source: 'default', name: 'default' }

/** A value of a setting from the source that goes first; `where` names the setting in sentences. */
type Given = { origin: SettingOrigin; input: unknown; where: string }

function findGiven(
  name: SettingName,
  { flags, flagNames, environment, file }: ConfigSources,
  inFile: ReadonlyMap<SettingName, FileValue>,
): Given {
  if (flags[name] !== undefined) {
    const flag = `--${flagNames?.[name] ?? name.split('.')[1]}`
    return { origin: { source: 'flag', name: flag }, input: flags[name], where: flag }
  }
  const variable = environmentName(name)
  const text = environment[variable]
  if (text !== undefined)
    return { origin: { source: 'environment', name: variable }, input: text, where: variable }
  const entry = inFile.get(name)
  if (file === undefined || entry === undefined)
    return { origin: DEFAULT, input: SETTINGS[name].default, where: name }
  const line = file.lineOf?.(entry.path)
  const origin: SettingOrigin = { source: 'file', name: file.name, path: entry.path, line }
  return { origin, input: entry.value, where: name }
}

/** Variables that are not settings. */
const COMMAND_VARIABLES = new Set(['PLUMBLINE_DATA', 'PLUMBLINE_CONFIG'])

function reportUnknownVariables(
  environment: ConfigSources['environment'],
  problems: SettingProblems,
): void {
  const known = new Set(SETTING_NAMES.map(environmentName))
  for (const name of Object.keys(environment))
    if (name.startsWith('PLUMBLINE_') && !known.has(name) && !COMMAND_VARIABLES.has(name))
      problems.add(
        { source: 'environment', name },
        [],
        `environment: there is no setting "${name}"${suggestVariable(name)}`,
      )
}
