import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import type { RecordIngest } from '../ingest/record-ingest.ts'

type DataKind = 'theme' | 'traffic' | 'vibration'

/** Lines that are stored at once, by the kind in the file name `<set>.<kind>.ndjson.gz`. */
const LINES_AT_ONCE: Record<DataKind, number> = { theme: 5_000, traffic: 5_000, vibration: 1 }

type DataFile = { name: string; path: string; kind: DataKind }

const isKind = (kind: string): kind is DataKind => Object.hasOwn(LINES_AT_ONCE, kind)

export async function listDataFiles(folder: string): Promise<DataFile[]> {
  const names = (await readdir(folder)).toSorted()
  return names.flatMap((name) => {
    const [, kind = ''] = /\.([a-z]+)\.ndjson\.gz$/.exec(name) ?? []
    return isKind(kind) ? [{ name, path: join(folder, name), kind }] : []
  })
}

/** Stores the records of a data file; throws when one is rejected. */
export async function loadDataFile(
  ingest: Pick<RecordIngest, DataKind>,
  { name, path, kind }: DataFile,
): Promise<number> {
  let accepted = 0
  const send = async (records: unknown[]): Promise<void> => {
    const report = await ingest[kind](records)
    const [rejected] = report.rejected
    if (rejected !== undefined) throw new Error(`${name}: ${rejected.message}`)
    accepted += report.accepted
  }

  let batch: unknown[] = []
  const lines = createInterface({ input: createReadStream(path).pipe(createGunzip()) })
  for await (const line of lines) {
    batch.push(JSON.parse(line))
    if (batch.length < LINES_AT_ONCE[kind]) continue
    await send(batch)
    batch = []
  }
  if (batch.length > 0) await send(batch)
  return accepted
}
