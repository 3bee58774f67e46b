import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import type { IngestReport } from '@plumbline/contract'
import type { Door } from '../ingest/records/door.ts'
import { ingestTheme } from '../ingest/records/ingest-theme.ts'
import { ingestTraffic } from '../ingest/records/ingest-traffic.ts'
import { ingestVibration } from '../ingest/waveforms/ingest-vibration.ts'

type Store = (door: Door, records: readonly unknown[]) => Promise<IngestReport>

/** `<set>.<kind>.ndjson.gz`: the kind says by which way in the lines go. */
const KINDS: Record<string, { store: Store; linesAtOnce: number }> = {
  theme: { store: ingestTheme, linesAtOnce: 5_000 },
  traffic: { store: ingestTraffic, linesAtOnce: 5_000 },
  vibration: { store: ingestVibration, linesAtOnce: 1 },
}

export type DataFile = { name: string; path: string; kind: string }

export async function listDataFiles(folder: string): Promise<DataFile[]> {
  const names = (await readdir(folder)).toSorted()
  return names.flatMap((name) => {
    const [, kind = ''] = /\.([a-z]+)\.ndjson\.gz$/.exec(name) ?? []
    return Object.hasOwn(KINDS, kind) ? [{ name, path: join(folder, name), kind }] : []
  })
}

/** Sends a file's records through the door; a record of ours that is refused is our fault. */
export async function loadDataFile(door: Door, { name, path, kind }: DataFile): Promise<number> {
  const { store, linesAtOnce } = KINDS[kind]!
  let accepted = 0
  const send = async (records: unknown[]): Promise<void> => {
    const report = await store(door, records)
    const [refused] = report.rejected
    if (refused !== undefined) throw new Error(`${name}: ${refused.message}`)
    accepted += report.accepted
  }

  let batch: unknown[] = []
  const lines = createInterface({ input: createReadStream(path).pipe(createGunzip()) })
  for await (const line of lines) {
    batch.push(JSON.parse(line))
    if (batch.length < linesAtOnce) continue
    await send(batch)
    batch = []
  }
  if (batch.length > 0) await send(batch)
  return accepted
}
