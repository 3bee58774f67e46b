import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import type { RecordIngest } from '../ingest/record-ingest.ts'

type Kind = 'theme' | 'traffic' | 'vibration'

/** Lines of a data file that are stored at once; `<set>.<kind>.ndjson.gz` says what they hold. */
const LINES_AT_ONCE: Record<Kind, number> = { theme: 5_000, traffic: 5_000, vibration: 1 }

export type DataFile = { name: string; path: string; kind: Kind }

const isKind = (kind: string): kind is Kind => Object.hasOwn(LINES_AT_ONCE, kind)

export async function listDataFiles(folder: string): Promise<DataFile[]> {
  const names = (await readdir(folder)).toSorted()
  return names.flatMap((name) => {
    const [, kind = ''] = /\.([a-z]+)\.ndjson\.gz$/.exec(name) ?? []
    return isKind(kind) ? [{ name, path: join(folder, name), kind }] : []
  })
}

/** Stores the records of a file of the demo; throws where one of them is rejected. */
export async function loadDataFile(
  ingest: Pick<RecordIngest, Kind>,
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
