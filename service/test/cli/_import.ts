import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { RecordKind, Reject } from '../../src/storage/storage.ts'
import { fill, type Workplace } from './_cli.ts'

export const DATA = fileURLToPath(new URL('../data/', import.meta.url))

export const CSV = `format: csv
delimiter: ;
time: { column: Time, format: DD.MM.YYYY HH:mm:ss }
columns:
  - { column: S, station: 1002, item: strain }
  - { column: T, station: 1002, item: temperature }
`

export async function prepare(place: Workplace, files: Record<string, string> = {}): Promise<void> {
  await fill(place, () => Promise.resolve())
  for (const [name, text] of Object.entries(files)) await writeFile(join(place.folder, name), text)
}

export const inStorage = async <Result>(
  place: Workplace,
  look: (storage: Awaited<ReturnType<typeof openSqlite>>) => Promise<Result>,
): Promise<Result> => {
  await using storage = await openSqlite(join(place.folder, 'data'))
  return await look(storage)
}

/** All records of a source, as they are served. */
export const recordsOf = (place: Workplace, kind: RecordKind, source: number): Promise<string[]> =>
  inStorage(place, async ({ records }) => {
    const query = { kind, source, from: 0, to: 4e12, shape: 'flat' } as const
    const chunks = await Array.fromAsync(records.read(query))
    const text = Buffer.concat(chunks.flatMap((chunk, at) => (at ? [COMMA, chunk] : [chunk])))
    return JSON.parse(`[${text.toString()}]`).map((record: unknown) => JSON.stringify(record))
  })

export const row = (minute: number, value: number): string =>
  `01.03.2024 00:0${minute}:00;${value};\n`

export const munich = (name: string): string => join(DATA, 'munich-test-bridge', name)

const COMMA = Buffer.from(',')

export const rejectsOf = (
  place: Workplace,
): Promise<Pick<Reject, 'origin' | 'place' | 'reason'>[]> =>
  inStorage(place, async ({ rejects }) =>
    (await rejects.list({ limit: 100 })).map(({ origin, place, reason, payload }) => ({
      origin,
      place,
      reason,
      line: Buffer.from(payload).toString(),
    })),
  )
