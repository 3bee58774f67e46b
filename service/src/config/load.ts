import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'
import {
  resolveOrigins,
  type ConfigSources,
  type ResolvedConfig,
  type UncheckedSettings,
} from './config.ts'
import { environment } from './env.ts'
import type { SettingsFile } from './setting-problems.ts'
import type { Config } from './settings.ts'
import { textOfBytes } from '../yaml/yaml-bytes.ts'

const FILE_NAME = 'plumbline.yaml'

/** The name of the settings file, and whether a flag or the environment sets it. */
export function findSettingsFile(
  dataFolder: string,
  file: string | undefined,
): { name: string; isNamed: boolean } {
  const named = file ?? environment['PLUMBLINE_CONFIG']
  return { name: named ?? join(dataFolder, FILE_NAME), isNamed: named !== undefined }
}

type LoadOptions = {
  dataFolder: string
  file: string | undefined
  flags: UncheckedSettings
  flagNames?: ConfigSources['flagNames']
}

/** Loads the settings. The file may be missing unless a flag or the environment names it. */
export const loadConfig = async (options: LoadOptions): Promise<Config> =>
  (await loadOrigins(options)).config

/** Loads the settings with their origins; `isFileRead` says whether there is a settings file. */
export async function loadOrigins({
  dataFolder,
  file,
  flags,
  flagNames,
}: LoadOptions): Promise<ResolvedConfig & { isFileRead: boolean }> {
  const { name, isNamed } = findSettingsFile(dataFolder, file)
  const text = await readSettingsFile(name, isNamed)
  const parsed = text === undefined ? undefined : await parse(name, text)
  const resolved = resolveOrigins({ flags, flagNames, environment, file: parsed })
  return { ...resolved, isFileRead: parsed !== undefined }
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

async function readSettingsFile(name: string, isNamed: boolean): Promise<string | undefined> {
  const bytes = await readFile(name).catch((error) => {
    if (codeOf(error) === 'ENOENT' && !isNamed) return undefined
    throw unreadable(name, error)
  })
  return bytes === undefined ? undefined : textOfBytes(bytes, name)
}

const unreadable = (name: string, error: unknown) =>
  new RefusedError(
    'invalid',
    `The settings file ${name} cannot be read: ${codeOf(error)}.${codeOf(error) === 'EACCES' ? ' Run the command as root or as the user of the service.' : ''}`,
  )

/** Parses a settings file. Its problems do not quote the text, which may have passwords. */
async function parse(name: string, text: string): Promise<SettingsFile> {
  // Loaded only here, since most services run without a file.
  const { readYaml } = await import('../yaml/yaml-text.ts')
  const { value: sections, problems, lineOf } = readYaml(text)
  if (problems.length === 0) return { name, sections, lineOf }
  const lines = problems.map(({ line, message }) => `${name}:${line}: ${message}`)
  throw new RefusedError('invalid', lines.join('\n'))
}
