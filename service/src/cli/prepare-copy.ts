import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { isInside } from '../backup/is-inside.ts'
import { ContinuousCopy } from '../backup/continuous/continuous-copy.ts'
import { findSettingsFile } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { RefusedError } from '../errors/refused-error.ts'
import type { CommandContext } from './command.ts'

/** The continuous copy of the settings; undefined without one. */
export function prepareCopy(
  { dataFolder, configFile }: Pick<CommandContext, 'dataFolder' | 'configFile'>,
  config: Config,
  log: Logger,
): ContinuousCopy | undefined {
  if (config['backup.continuous.to'] === '') return undefined
  const to = resolve(config['backup.continuous.to'])
  if (isInside(to, dataFolder))
    throw new RefusedError(
      'invalid',
      `backup.continuous.to is ${to}, in the data folder, and would be lost with it. Name a folder on another disk.`,
    )
  const options = {
    dataFolder,
    settingsFile: findSettingsFile(dataFolder, configFile).name,
    mappings: config['ingest.folders'].map(({ mapping }) => mapping),
    to,
    seconds: config['backup.continuous.seconds'],
    keepDays: config['backup.continuous.keepDays'],
  }
  return new ContinuousCopy(options, log)
}
