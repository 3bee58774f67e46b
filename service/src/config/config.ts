import { RefusedError } from '../domain/refused-error.ts'
import {
  environmentName,
  SETTING_NAMES,
  SETTINGS,
  type Config,
  type Setting,
  type SettingName,
} from './settings.ts'

type Value = number | string | string[]

/** Settings as somebody wrote them, not yet checked. */
export type GivenSettings = Partial<Record<SettingName, unknown>>

/** The sources of settings, the stronger one first, each with the words that name it. */
export type ConfigSources = {
  flags: GivenSettings
  environment: Readonly<Record<string, string | undefined>>
  /** The parsed file, by sections; `name` is shown in refusals. */
  file?: { name: string; sections: unknown }
}

/** Puts flags over environment over file over defaults; a wrong or unknown key is refused by name. */
export function resolveConfig({ flags, environment, file }: ConfigSources): Config {
  const inFile = file === undefined ? {} : flattenSections(file.name, file.sections)
  refuseUnknownVariables(environment)

  const entries = SETTING_NAMES.map((name): [SettingName, Value] => {
    const variable = environmentName(name)
    if (flags[name] !== undefined) return [name, read(name, flags[name], `--${name.split('.')[1]}`)]
    if (environment[variable] !== undefined)
      return [name, read(name, environment[variable], variable)]
    if (inFile[name] !== undefined)
      return [name, read(name, inFile[name], `${file?.name}: ${name}`)]
    return [name, SETTINGS[name].default]
  })
  const config = Object.fromEntries(entries) as Config
  if ((config['http.certificate'] === '') !== (config['http.key'] === ''))
    throw new RefusedError('invalid', 'http.certificate and http.key must be set both or neither')
  return config
}

function flattenSections(fileName: string, sections: unknown): GivenSettings {
  const result: GivenSettings = {}
  if (sections === null || sections === undefined) return result
  if (typeof sections !== 'object' || Array.isArray(sections))
    throw new RefusedError('invalid', `${fileName}: the file must hold sections such as "http:"`)
  for (const [section, settings] of Object.entries(sections)) {
    // What remains of a section whose every line is a comment.
    if (settings === null && isSection(section)) continue
    if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
      throw unknownKey(fileName, section)
    for (const [key, value] of Object.entries(settings)) {
      const name = `${section}.${key}`
      if (!isSettingName(name)) throw unknownKey(fileName, name)
      if (value !== null) result[name] = value
    }
  }
  return result
}

const isSection = (section: string): boolean =>
  SETTING_NAMES.some((name) => name.startsWith(`${section}.`))

const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)

const unknownKey = (where: string, key: string) =>
  new RefusedError(
    'invalid',
    `${where}: there is no setting "${key}"; there are ${SETTING_NAMES.join(', ')}`,
  )

/** Variables the commands read themselves. */
const COMMAND_VARIABLES = new Set(['PLUMBLINE_DATA', 'PLUMBLINE_CONFIG', 'PLUMBLINE_STORAGE'])

function refuseUnknownVariables(environment: ConfigSources['environment']): void {
  const known = new Set(SETTING_NAMES.map(environmentName))
  for (const name of Object.keys(environment))
    if (name.startsWith('PLUMBLINE_') && !known.has(name) && !COMMAND_VARIABLES.has(name))
      throw unknownKey('environment', name)
}

function read(name: SettingName, given: unknown, where: string): Value {
  const { default: fallback, expected, accepts } = SETTINGS[name] as Setting<Value>
  const value = toTypeOf(fallback, given)
  if (value === undefined || accepts?.(value as never) === false)
    throw new RefusedError('invalid', `${where} must be ${expected ?? describe(fallback)}`)
  return value
}

function toTypeOf(fallback: Value, given: unknown): Value | undefined {
  if (typeof fallback === 'string') return typeof given === 'string' ? given : undefined
  if (typeof fallback === 'number') {
    const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  }
  if (typeof given === 'string')
    return given
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
  return Array.isArray(given) && given.every((part) => typeof part === 'string') ? given : undefined
}

function describe(fallback: Value): string {
  if (typeof fallback === 'number') return 'a number'
  return typeof fallback === 'string' ? 'text' : 'a list of texts'
}
