import { stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders that a service makes beside its database. */
const LEFT_BESIDE = ['tls', 'secrets']

/** A sentence about a new database; suspicious where the folder has files of an earlier one. */
type NewDatabase = { sentence: string; isSuspicious: boolean }

/** Describes the database that will be created; undefined where a database exists. */
export async function describeNewDatabase(
  folder: string,
  database: string,
): Promise<NewDatabase | undefined> {
  const size = await sizeOf(join(folder, database))
  if (size !== undefined && size > 0) return undefined
  const made = `A new database was created in ${folder}.`
  const left: string[] = []
  for (const name of LEFT_BESIDE)
    if ((await sizeOf(join(folder, name))) !== undefined) left.push(`${name}/`)
  if (left.length === 0) return { sentence: made, isSuspicious: false }
  const found = size === undefined ? `had no ${database}` : `had a ${database} of 0 bytes`
  const sentence = `${made} The folder ${found}, but has ${left.join(' and ')} of an earlier service. The likely cause is a disk that is not mounted, or a database that was deleted. The records of the earlier service are not served.`
  return { sentence, isSuspicious: true }
}

const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  )
