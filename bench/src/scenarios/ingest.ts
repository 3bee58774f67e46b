import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import {
  BATCH_RECORDS,
  gatewayBatch,
  loggerBatch,
  singleRecord,
  type SentRecord,
} from '../batches.ts'
import type { LoadProcess } from '../load/load.ts'
import { postRequest } from '../load/requests.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { startService } from '../servers/service.ts'
import { median, ratio } from '../statistics.ts'
import { writeAlone } from './write-alone.ts'

export const ingest: Scenario = {
  title: 'Durable ingest over HTTPS: every answer comes after the commit is on the disk',

  async run({ load, isQuick, say }) {
    const findings: Finding[] = []
    for (const way of WAYS) {
      say(way.name)
      await using folder = await makeDataFolder()
      findings.push(...(await measureWay(load, folder, way, isQuick)))
    }
    return findings
  },
}

export type Way = {
  name: string
  connections: number
  /** Requests of a round. */
  requests: number
  records(number: number): SentRecord[]
  atLeast: number
}

export const WAYS: readonly Way[] = [
  {
    name: 'batches of 1,000, 200 stations x 5 minutes',
    connections: 4,
    requests: 200,
    records: gatewayBatch,
    atLeast: 100_000,
  },
  {
    name: 'batches of 1,000, one station',
    connections: 4,
    requests: 200,
    records: loggerBatch,
    atLeast: 100_000,
  },
  {
    name: 'single records, 64 clients',
    connections: 64,
    requests: 10_000,
    records: singleRecord,
    atLeast: 5_000,
  },
]

async function measureWay(
  load: LoadProcess,
  folder: DataFolder,
  way: Way,
  isQuick: boolean,
): Promise<Finding[]> {
  const { name, connections, requests, records } = way
  const rounds = isQuick ? 2 : 5
  const recordsARequest = records(0).length
  const alone = recordsARequest === BATCH_RECORDS
  const rates: number[] = []
  const aloneRates: number[] = []
  const cpu: number[] = []
  {
    await using service = await startService(folder.path)
    const target = { ...service, ca: folder.ca }
    // A round before the first one that counts, for the compiler to see the code.
    for (let round = 0; round <= rounds; round++) {
      const batches = Array.from({ length: requests }, (_, at) => records(round * requests + at))
      const bodies = batches.map((batch) => JSON.stringify({ records: batch }))
      const result = await load.run(target, {
        connections,
        requests: bodies.map((body) => postRequest('/ingest/v1/theme', folder.ingestKey, body)),
        expectedBody: JSON.stringify({ accepted: recordsARequest, replaced: 0, rejected: [] }),
      })
      if (round === 0) continue
      rates.push(((requests * recordsARequest) / result.milliseconds) * 1000)
      cpu.push((result.serverCpuMilliseconds / requests / recordsARequest) * 1000)
      if (alone) aloneRates.push(writeAlone(join(folder.path, 'alone.db'), batches))
    }
  }
  requireStored(folder.database, (rounds + 1) * requests * recordsARequest)

  const toAlone = ratio(rates, aloneRates)
  const figures: Finding[] = [
    {
      what: name,
      value: median(rates),
      unit: 'records/s',
      range: [Math.min(...rates), Math.max(...rates)],
      target: { atLeast: way.atLeast },
    },
    { what: `${name}: server CPU per record`, value: median(cpu), unit: 'µs' },
  ]
  if (!alone) return figures
  const { median: value, least, greatest } = toAlone
  const what = `${name}: of SQLite alone in one process, texts made and synced`
  return [{ what, value, range: [least, greatest] }, ...figures]
}

/** Every acknowledged record is there, once, be it sealed or not. */
export function requireStored(file: string, acknowledged: number): void {
  const database = new Sqlite(file, { readonly: true })
  try {
    const count = `select (select count(*) from theme_records)
      + (select coalesce(sum(count), 0) from theme_sealed_parts)`
    const stored = database.prepare(count).pluck().get()
    if (stored !== acknowledged)
      throw new Error(`${acknowledged} records were acknowledged, ${String(stored)} are stored`)
  } finally {
    database.close()
  }
}
