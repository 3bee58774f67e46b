import type { ValuePath } from '../schemas/value-path.ts'
import type { Config, SettingName } from './settings.ts'

/** Takes a problem of a setting, or of the part of its value that a path names. */
export type ReportSetting = (name: SettingName, path: ValuePath, sentence: string) => void

/** A check of settings against each other. */
export type ConsistencyCheck = {
  reads: readonly SettingName[]
  check(config: Config, report: ReportSetting): void
}
