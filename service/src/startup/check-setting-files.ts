import { access, constants } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { filesOf } from '../config/setting-paths.ts'
import { SETTING_NAMES, type Config } from '../config/settings.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'

/** Refuses settings that name files of secrets or certificates which this user cannot read. */
export async function checkSettingFiles(config: Config): Promise<void> {
  const problems: string[] = []
  for (const [place, file] of SETTING_NAMES.flatMap((name) => filesOf(name, config[name])))
    await access(file, constants.R_OK).catch((error: unknown) => {
      problems.push(`${place}: ${file} cannot be read by ${userInfo().username}: ${codeOf(error)}`)
    })
  if (problems.length > 0) throw new RefusedError('invalid', problems.join('\n'))
}
