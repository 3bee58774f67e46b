import { join } from 'node:path'
import { BATCH_RECORDS, loggerBatch } from '../batches.ts'
import { LoadProcess, type Measured, type Target } from '../load/load.ts'
import { postRequest } from '../load/requests.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { importFile } from '../servers/import.ts'
import { startService } from '../servers/service.ts'
import { STATION_COUNT } from '../site.ts'
import { median } from '../statistics.ts'
import { writeLoggerFile } from '../toa5.ts'

const LIVE_A_SECOND = 50
/** The stations from this one on send what they measure; those before it are filled up. */
const FIRST_LIVE = STATION_COUNT / 2 + 1
const BACKFILL_CONNECTIONS = 4

export const liveBesideBackfill: Scenario = {
  title: 'Live records beside backfill at full speed',

  async run({ load, isQuick, say }) {
    await using folder = await makeDataFolder()
    await using backfill = new LoadProcess()
    await using service = await startService(folder.path)
    const one = new Senders({ live: load, backfill, folder, target: { ...service, ca: folder.ca } })
    const seconds = isQuick ? 3 : 10
    await one.sendLive(2)
    await one.fill(100)

    const rounds = isQuick ? 1 : 3
    const alone: Measured[] = []
    const beside: Measured[] = []
    const live: Measured[] = []
    const rates: Rates = { alone: [], beside: [] }
    const imports: Rates = { alone: [], beside: [] }
    for (let round = 0; round < rounds; round++) {
      say(`round ${round + 1} of ${rounds}`)
      alone.push(await one.sendLive(seconds))
      rates.alone.push(await one.fill(seconds * 50))
      const [liveBeside, rate] = await Promise.all([one.sendLive(seconds), one.fill(seconds * 60)])
      beside.push(liveBeside)
      rates.beside.push(rate)
      imports.alone.push(await one.importRows(round * 2))
      const [besideImport, importRate] = await Promise.all([
        one.sendLive(seconds),
        one.importRows(round * 2 + 1),
      ])
      live.push(besideImport)
      imports.beside.push(importRate)
    }
    const ofBatches = `live, batches of ${BATCH_RECORDS} beside`
    return [
      ...describe(ofBatches, p99(alone), p99(beside)),
      share('backfill by batches: its rate beside live records by that alone', rates),
      ...describe('live, plumbline import beside', p99(alone), p99(live)),
      share('plumbline import: its rate beside live records by that alone', imports),
      { what: 'backfill by batches, alone', value: median(rates.alone), unit: 'records/s' },
      { what: 'plumbline import, alone', value: median(imports.alone), unit: 'records/s' },
      { what: 'live, alone: 99th percentile', value: p99(alone), unit: 'ms' },
    ]
  },
}

const p99 = (runs: readonly Measured[]): number => median(runs.map(({ response }) => response.p99))

const describe = (what: string, alone: number, beside: number): Finding[] => [
  { what: `${what}: 99th percentile by that alone`, value: beside / alone, target: { atMost: 3 } },
  { what: `${what}: 99th percentile`, value: beside, unit: 'ms' },
]

type Rates = { alone: number[]; beside: number[] }

const share = (what: string, { alone, beside }: Rates): Finding => ({
  what,
  value: median(beside) / median(alone),
  target: { atLeast: 0.7 },
})

type Parts = { live: LoadProcess; backfill: LoadProcess; folder: DataFolder; target: Target }

/** The senders of live records and of old ones. */
class Senders {
  readonly #parts: Parts
  #batches = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Sends one record a request, round the stations, at a steady rate. */
  sendLive(seconds: number): Promise<Measured> {
    const { live, folder, target } = this.#parts
    const first = Date.now()
    const every = 1000 / LIVE_A_SECOND
    const requests = Array.from({ length: seconds * LIVE_A_SECOND }, (_, at) => {
      const station = FIRST_LIVE + (at % (STATION_COUNT - FIRST_LIVE + 1))
      const record = {
        station,
        time: Math.round(first + at * every),
        values: { x: at, y: 1, z: 2 },
      }
      return postRequest(
        '/ingest/v1/theme',
        folder.ingestKey,
        JSON.stringify({ records: [record] }),
      )
    })
    return live.run(target, {
      connections: 4,
      requests,
      everyMilliseconds: every,
      expectedBody: JSON.stringify({ accepted: 1, replaced: 0, rejected: [] }),
    })
  }

  /** Sends batches, each after the response to the last; returns records a second. */
  async fill(count: number): Promise<number> {
    const { backfill, folder, target } = this.#parts
    const requests = Array.from({ length: count }, () => {
      const records = loggerBatch(this.#nextBatch())
      return postRequest('/ingest/v1/theme', folder.ingestKey, JSON.stringify({ records }))
    })
    const { milliseconds } = await backfill.run(target, {
      connections: BACKFILL_CONNECTIONS,
      requests,
      expectedBody: JSON.stringify({ accepted: BATCH_RECORDS, replaced: 0, rejected: [] }),
    })
    return (count * BATCH_RECORDS * 1000) / milliseconds
  }

  /** Imports a file of a station of its own; gives records a second. */
  async importRows(number: number): Promise<number> {
    const { folder } = this.#parts
    const stations = [FIRST_LIVE - 1 - number]
    const name = join(folder.path, `import-${number}`)
    const file = await writeLoggerFile(name, { megabytes: 10, stations })
    const { milliseconds } = await importFile(folder.path, file)
    return (file.rows * 1000) / milliseconds
  }

  /** The next batch of a station that is filled up; the last ten are left to imports. */
  #nextBatch(): number {
    const filled = FIRST_LIVE - 11
    const batch = this.#batches++
    return Math.floor(batch / filled) * STATION_COUNT + (batch % filled)
  }
}
