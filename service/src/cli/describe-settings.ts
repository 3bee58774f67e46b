import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SETTINGS_FILE } from '../backup/data-files.ts'
import { findSettingsFile } from '../config/load.ts'
import type { CommandContext } from './command.ts'

/** Says where restored settings are, and what to do where the service reads other ones. */
export function describeSettings({
  dataFolder,
  configFile,
}: Pick<CommandContext, 'dataFolder' | 'configFile'>): string[] {
  const restored = join(dataFolder, SETTINGS_FILE)
  if (!existsSync(restored)) return ['No settings file was restored.']
  const { name: read, isNamed } = findSettingsFile(dataFolder, configFile)
  if (!isNamed || resolve(read) === resolve(restored))
    return [`The settings of the backup are in ${restored}.`]
  return [
    `The settings of the backup are in ${restored}, which is not read: the settings are ${read}. Compare both, put what you need into ${read}, and remove ${restored}.`,
  ]
}
