import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RefusedError } from '../errors/refused-error.ts'
import { resolveConfig, type ConfigSources, type GivenSettings } from './config.ts'
import type { Config } from './settings.ts'
import { environment } from './env.ts'

const FILE_NAME = 'plumbline.yaml'

/** The file that settings are looked for in, and whether somebody named it. */
export function findSettingsFile(
  dataFolder: string,
  file: string | undefined,
): { name: string; isNamed: boolean } {
  const named = file ?? environment['PLUMBLINE_CONFIG']
  return { name: named ?? join(dataFolder, FILE_NAME), isNamed: named !== undefined }
}

/** Loads the settings: a named file must exist, the one in the data folder may be missing. */
export async function loadConfig(options: {
  dataFolder: string
  file: string | undefined
  flags: GivenSettings
  flagNames?: ConfigSources['flagNames']
}): Promise<Config> {
  const { name, isNamed } = findSettingsFile(options.dataFolder, options.file)
  const text = await readFile(name, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && !isNamed) return undefined
    throw new RefusedError('invalid', `The settings file ${name} cannot be read: ${error.code}.`)
  })
  const sources = { flags: options.flags, flagNames: options.flagNames, environment }
  if (text === undefined) return resolveConfig(sources)
  return resolveConfig({ ...sources, file: { name, sections: await parse(name, text) } })
}

async function parse(name: string, text: string): Promise<unknown> {
  // Most services run without a file: the YAML library is loaded when there is one.
  const { parse: parseYaml } = await import('yaml')
  try {
    return parseYaml(text)
  } catch (error) {
    throw new RefusedError('invalid', `${name}: ${(error as Error).message}`)
  }
}
