import type { Storage } from '../storage/storage.ts'

/** Rows of `meta` with the token of the last backup to a folder that the database knows. */
const keyOf = (folder: number): string => `backup ${folder}`

/** The token of the last backup to a folder of backups; undefined before the first one. */
export async function readToken(
  { copying }: Pick<Storage, 'copying'>,
  folder: number,
): Promise<number | undefined> {
  const rows = await copying.rows<[number]>('select value from meta where key = ?', keyOf(folder))
  return rows[0]?.[0]
}

/** Notes that the database holds all that a backup holds. */
export async function writeToken(
  { copying }: Pick<Storage, 'copying'>,
  folder: number,
  token: number,
): Promise<void> {
  await copying.write([
    {
      sql: `insert into meta (key, value) values (?, ?)
        on conflict (key) do update set value = excluded.value`,
      width: 2,
      values: [keyOf(folder), token],
    },
  ])
}
