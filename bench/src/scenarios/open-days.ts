import { compare, type Contender, type Series } from '../compare.ts'
import type { LoadProcess, Target } from '../load/load.ts'
import { getRequest, postRequest, windowQuery } from '../load/requests.ts'
import { minuteBatch } from '../batches.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { fillPostgresStore } from '../servers/postgres-store.ts'
import { startPostgres } from '../servers/postgres.ts'
import { startReadable } from '../servers/service.ts'
import { DAY_RECORDS, stationIds } from '../site.ts'
import { median, ratio } from '../statistics.ts'
import { DAY_HOLDINGS, listDays, roundsFor } from './station-day.ts'

const WANTED = { atMost: 0.35 }

export const openDays: Scenario = {
  title:
    'An open station-day with gzip: from rows, from kept hours, and with a new record each time',

  async run(bench) {
    await using folder = await makeDataFolder(DAY_HOLDINGS)
    const sqlite = await measureEngine(bench, 'SQLite', folder, [])
    await using server = await startPostgres()
    const application = await fillPostgresStore(server.url, folder.ingestKey, DAY_HOLDINGS)
    await server.query('checkpoint')
    const own = ['--storage', server.url]
    return [
      ...sqlite,
      ...(await measureEngine(bench, 'PostgreSQL', { ...folder, application }, own)),
    ]
  },
}

type Readable = Target & { token: string }

function contender(name: string, target: Readable): Contender {
  const paths = listDays(target.token).map(({ path }) => path)
  return { name, target, requests: paths.map((path) => getRequest({ path, gzip: true })) }
}

async function measureEngine(
  bench: Bench,
  engine: string,
  folder: Pick<DataFolder, 'path' | 'ca' | 'application' | 'ingestKey'>,
  flags: readonly string[],
): Promise<Finding[]> {
  bench.say(engine)
  await using rows = await startReadable(folder, flags, {
    PLUMBLINE_STORAGE_OPEN_DAY_CACHE_MEGABYTES: '0',
  })
  await using kept = await startReadable(folder, flags)
  const series = await compare(
    bench.load,
    { rows: contender('rows', rows), kept: contender('kept', kept) },
    roundsFor(bench.isQuick),
  )
  const live = await readLive(bench, [rows, kept], folder.ingestKey)
  return [
    ...describe(`${engine}, nothing new`, series.rows.cpuPerResponse, series.kept.cpuPerResponse),
    ...describe(`${engine}, a record since`, live[0], live[1]),
    rateOf(`${engine}, nothing new`, series.kept),
  ]
}

/** Each station gets a record, then the last day of each station is asked for once. */
async function readLive(
  { load, isQuick }: Bench,
  [rows, kept]: readonly [Readable, Readable],
  ingestKey: string,
): Promise<[rows: number[], kept: number[]]> {
  const found: [number[], number[]] = [[], []]
  for (let round = 0, minute = DAY_HOLDINGS[0]!.records; round < (isQuick ? 4 : 20); round++)
    for (const [place, target] of [rows, kept].entries()) {
      // Of some rounds together: the processor time of a process is counted in hundredths of a second.
      let total = 0
      let responses = 0
      for (let part = 0; part < 5; part++, minute++) {
        await send(load, kept, ingestKey, minute)
        const first = minute - DAY_RECORDS + 1
        const measured = await load.run(target, {
          connections: 16,
          requests: stationIds().map((id) =>
            getRequest({
              path: `/api/v1/stations/theme/data?${windowQuery([id], first, DAY_RECORDS)}&token=${target.token}`,
              gzip: true,
            }),
          ),
        })
        total += measured.serverCpuMilliseconds
        responses += measured.responses
      }
      if (round > 0) found[place]!.push(total / responses)
    }
  return found
}

async function send(
  load: LoadProcess,
  target: Target,
  ingestKey: string,
  minute: number,
): Promise<void> {
  const body = JSON.stringify({ records: minuteBatch(minute) })
  await load.run(target, {
    connections: 1,
    requests: [postRequest('/ingest/v1/theme', ingestKey, body)],
  })
}

function describe(name: string, rows: readonly number[], kept: readonly number[]): Finding[] {
  const { median: value, least, greatest } = ratio(kept, rows)
  return [
    {
      what: `${name}: CPU of a request, from kept hours`,
      value: median(kept),
      unit: 'ms',
      range: [Math.min(...kept), Math.max(...kept)],
      target: WANTED,
    },
    { what: `${name}: CPU of a request, from rows`, value: median(rows), unit: 'ms' },
    { what: `${name}: kept hours, of rows`, value, range: [least, greatest] },
  ]
}

const rateOf = (name: string, { rates }: Series): Finding => ({
  what: `${name}: from kept hours`,
  value: median(rates),
  unit: 'requests/s',
})
