import { RefusedError } from '../errors/refused-error.ts'
import { checkNotifications } from './check-notifications.ts'
import { readSetting } from './read-setting.ts'
import {
  environmentName,
  isSettingName,
  SETTING_NAMES,
  SETTINGS,
  type Config,
  type SettingName,
} from './settings.ts'
import { isObject } from '../json/is-object.ts'

/** Values of settings that are not checked yet. */
export type UncheckedSettings = Partial<Record<SettingName, unknown>>

/** The sources of settings in the order of their precedence. */
export type ConfigSources = {
  flags: UncheckedSettings
  /** Names of flags that differ from the names of their settings. */
  flagNames?: Partial<Record<SettingName, string>> | undefined
  environment: Readonly<Record<string, string | undefined>>
  /** The parsed settings file; `name` is its name in errors. */
  file?: { name: string; sections: unknown }
}

/** Takes each setting from the flags, the environment, the file or its default; refuses wrong and unknown names. */
export function resolveConfig({ flags, flagNames, environment, file }: ConfigSources): Config {
  const inFile = file === undefined ? {} : flattenSections(file.name, file.sections)
  refuseUnknownVariables(environment)

  const valueOf = (name: SettingName): unknown => {
    const variable = environmentName(name)
    if (flags[name] !== undefined)
      return readSetting(name, flags[name], `--${flagNames?.[name] ?? name.split('.')[1]}`)
    if (environment[variable] !== undefined)
      return readSetting(name, environment[variable], variable)
    if (inFile[name] !== undefined) return readSetting(name, inFile[name], `${file?.name}: ${name}`)
    return SETTINGS[name].default
  }
  const values = SETTING_NAMES.map((name) => [name, valueOf(name)])
  const config = Object.fromEntries(values) as Config
  checkConsistency(config)
  checkNotifications(config)
  return config
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/

function checkConsistency(config: Config): void {
  if ((config['http.certificate'] === '') !== (config['http.key'] === ''))
    throw new RefusedError('invalid', 'http.certificate and http.key must be set both or neither')
  if (config['ingest.broker.tls'] === 'off' && !LOOPBACK.test(config['ingest.broker.host']))
    throw new RefusedError(
      'invalid',
      'ingest.broker.tls may be off only where ingest.broker.host is a loopback address',
    )
  const names = config['ingest.mqtt'].map(({ name }) => name)
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined)
    throw new RefusedError('invalid', `ingest.mqtt has two brokers with the name ${repeated}`)
}

function flattenSections(fileName: string, sections: unknown): UncheckedSettings {
  const result: UncheckedSettings = {}
  if (sections === null || sections === undefined) return result
  if (typeof sections !== 'object' || Array.isArray(sections))
    throw new RefusedError('invalid', `${fileName}: the file must contain sections such as "http:"`)
  readSection(fileName, '', Object.entries(sections), result)
  return result
}

function readSection(
  fileName: string,
  prefix: string,
  entries: readonly [string, unknown][],
  result: UncheckedSettings,
): void {
  for (const [key, value] of entries) {
    const name = `${prefix}${key}`
    // A section of comments only is null, and so is a setting without a value.
    if (isSettingName(name)) {
      if (value !== null) result[name] = value
      continue
    }
    if (!isSection(name)) {
      const [inner] = isObject(value) ? Object.keys(value) : []
      throw unknownKey(fileName, inner === undefined ? name : `${name}.${inner}`)
    }
    if (value === null) continue
    if (!isObject(value)) throw unknownKey(fileName, name)
    readSection(fileName, `${name}.`, Object.entries(value), result)
  }
}

const isSection = (name: string): boolean =>
  SETTING_NAMES.some((setting) => setting.startsWith(`${name}.`))

const unknownKey = (where: string, key: string) =>
  new RefusedError(
    'invalid',
    `${where}: there is no setting "${key}"; the settings are ${SETTING_NAMES.join(', ')}`,
  )

/** Variables that are not settings. */
const COMMAND_VARIABLES = new Set(['PLUMBLINE_DATA', 'PLUMBLINE_CONFIG', 'PLUMBLINE_STORAGE'])

function refuseUnknownVariables(environment: ConfigSources['environment']): void {
  const known = new Set(SETTING_NAMES.map(environmentName))
  for (const name of Object.keys(environment))
    if (name.startsWith('PLUMBLINE_') && !known.has(name) && !COMMAND_VARIABLES.has(name))
      throw unknownKey('environment', name)
}
