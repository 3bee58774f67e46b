import { join } from 'node:path'
import { copyDataFile, listDataFiles, type DataFilesOf } from './data-files.ts'

/** Where the other files of a data folder are in a backup. */
export const FILES = 'files'

/** Copies what the data folder has beside the database; returns the paths, relative to `to`. */
export async function copyFiles(
  to: string,
  { withoutSecrets, ...folder }: DataFilesOf & { withoutSecrets: boolean },
): Promise<string[]> {
  const files = await listDataFiles(folder)
  const copied = files.filter(({ isSecret }) => !(isSecret && withoutSecrets))
  for (const file of copied) await copyDataFile(file, join(to, FILES))
  return copied.map(({ path }) => `${FILES}/${path}`)
}
