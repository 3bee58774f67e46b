import { access, constants } from 'node:fs/promises'
import { userInfo } from 'node:os'
import type { Config } from '../config/settings.ts'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'

const SINGLE = [
  'http.certificate',
  'http.key',
  'media.signingKeyFile',
  'media.mediamtxPasswordFile',
  'traces.headerFile',
] as const satisfies (keyof Config)[]

const LISTS = [
  'ingest.mqtt',
  'notifications.webhooks',
  'notifications.mail',
  'notifications.mqtt',
] as const satisfies (keyof Config)[]

const MEMBERS = ['passwordFile', 'secretFile', 'ca', 'cert', 'key']

/** Refuses settings that name files of secrets or certificates which this user cannot read. */
export async function checkSettingFiles(config: Config): Promise<void> {
  const problems: string[] = []
  for (const [where, file] of listFiles(config))
    await access(file, constants.R_OK).catch((error: unknown) => {
      problems.push(`${where}: ${file} cannot be read by ${userInfo().username}: ${codeOf(error)}`)
    })
  if (problems.length > 0) throw new RefusedError('invalid', problems.join('\n'))
}

/** The files that the settings name, each with its setting. */
function listFiles(config: Config): [where: string, file: string][] {
  const single = SINGLE.map((name): [string, string] => [name, config[name]])
  const inLists = LISTS.flatMap((name) =>
    config[name].flatMap((entry, at) => {
      const members = new Map<string, unknown>(Object.entries(entry))
      return MEMBERS.map((member): [string, unknown] => [
        `${name}[${at}].${member}`,
        members.get(member),
      ])
    }),
  )
  return [...single, ...inLists].flatMap(([where, file]) =>
    typeof file === 'string' && file !== '' ? [[where, file] as [string, string]] : [],
  )
}
