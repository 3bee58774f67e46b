import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'
import { resolveConfig, type ConfigSources, type UncheckedSettings } from './config.ts'
import type { Config } from './settings.ts'
import { environment } from './env.ts'

const FILE_NAME = 'plumbline.yaml'

/** The name of the settings file, and whether a flag or the environment sets it. */
export function findSettingsFile(
  dataFolder: string,
  file: string | undefined,
): { name: string; isNamed: boolean } {
  const named = file ?? environment['PLUMBLINE_CONFIG']
  return { name: named ?? join(dataFolder, FILE_NAME), isNamed: named !== undefined }
}

/** Loads the settings. The file may be missing unless a flag or the environment names it. */
export async function loadConfig(options: {
  dataFolder: string
  file: string | undefined
  flags: UncheckedSettings
  flagNames?: ConfigSources['flagNames']
}): Promise<Config> {
  const { name, isNamed } = findSettingsFile(options.dataFolder, options.file)
  const text = await readSettingsFile(name, isNamed)
  const sources = { flags: options.flags, flagNames: options.flagNames, environment }
  if (text === undefined) return resolveConfig(sources)
  return resolveConfig({ ...sources, file: { name, sections: await parse(name, text) } })
}

/** Refuses a settings file that a flag or the environment names and that cannot be read. */
export async function requireSettingsFile(
  dataFolder: string,
  file: string | undefined,
): Promise<void> {
  const { name, isNamed } = findSettingsFile(dataFolder, file)
  if (!isNamed) return
  // Its text is left for the command: that of a pipe can be read once only.
  await access(name, constants.R_OK).catch((error: unknown) => {
    throw unreadable(name, error)
  })
}

const readSettingsFile = (name: string, isNamed: boolean): Promise<string | undefined> =>
  readFile(name, 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT' && !isNamed) return undefined
    throw unreadable(name, error)
  })

const unreadable = (name: string, error: unknown) =>
  new RefusedError('invalid', `The settings file ${name} cannot be read: ${codeOf(error)}.`)

/** Parses a settings file. Its problems do not quote the text, which may have passwords. */
async function parse(name: string, text: string): Promise<unknown> {
  // Loaded only here, since most services run without a file.
  const { readYaml } = await import('../yaml/yaml-text.ts')
  const { value, problems } = readYaml(text)
  if (problems.length === 0) return value
  const lines = problems.map(({ line, message }) => `${name}:${line}: ${message}`)
  throw new RefusedError('invalid', lines.join('\n'))
}
