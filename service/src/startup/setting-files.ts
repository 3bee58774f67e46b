import { readFile } from 'node:fs/promises'
import { RefusedError } from '../errors/refused-error.ts'
import { codeOf } from '../errors/thrown.ts'

/** The text of a file that a setting names; `where` is the name of the setting in errors. */
const readSettingFile = (file: string, where: string): Promise<string> =>
  readFile(file, 'utf8').catch((error) => {
    throw new RefusedError('invalid', `${where}: ${file} cannot be read: ${codeOf(error)}`)
  })

/** The text of an optional PEM file. */
export const readPem = async (
  file: string | undefined,
  where: string,
): Promise<string | undefined> => (file === undefined ? undefined : readSettingFile(file, where))

/** The secret in a file, without the line break at its end. */
export async function readSecretFile(file: string, where: string): Promise<string> {
  const secret = (await readSettingFile(file, where)).replace(/\r?\n$/, '')
  if (secret === '') throw new RefusedError('invalid', `${where}: ${file} is empty`)
  return secret
}

/** The password of a connection, from the settings or from its file. */
export const readPassword = async (
  { password, passwordFile }: { password?: string; passwordFile?: string },
  where: string,
): Promise<string | undefined> =>
  passwordFile === undefined ? password : readSecretFile(passwordFile, `${where}.passwordFile`)
