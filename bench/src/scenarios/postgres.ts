import { gunzipSync } from 'node:zlib'
import { absolutes, advantage, compare, type Series } from '../compare.ts'
import { fillHandWrittenPostgres } from '../fill-postgres.ts'
import { fetchHttps } from '../load/fetch.ts'
import type { LoadProcess, Target } from '../load/load.ts'
import { getRequest, postRequest } from '../load/requests.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { fillPostgresStore } from '../servers/postgres-store.ts'
import { startPostgres } from '../servers/postgres.ts'
import { startRival } from '../servers/rival.ts'
import { sealDays } from '../servers/seal.ts'
import { startReadable, startService } from '../servers/service.ts'
import { median, ratio } from '../statistics.ts'
import { WAYS, type Way } from './ingest.ts'
import { DAY_HOLDINGS, listDays, roundsFor } from './station-day.ts'

export const postgres: Scenario = {
  title: 'PostgreSQL beside SQLite on the same machine, and beside Express with PostgreSQL',

  async run(bench) {
    const findings: Finding[] = []
    for (const way of WAYS) findings.push(...(await measureIngest(bench, way)))
    return [...findings, ...(await measureReading(bench))]
  },
}

/** What each way has to come to: records a second, or the share of what SQLite does. */
const WANTED: Readonly<Record<number, { rate?: number; share?: number }>> = {
  4: { rate: 100_000 },
  64: { share: 0.5 },
}

async function measureIngest({ load, isQuick, say }: Bench, way: Way): Promise<Finding[]> {
  say(`${way.name}, PostgreSQL`)
  await using server = await startPostgres()
  await using folder = await makeDataFolder()
  await fillPostgresStore(server.url, folder.ingestKey)
  const rates = { sqlite: [] as number[], postgres: [] as number[] }
  const rounds = isQuick ? 2 : 5
  await using sqlite = await startService(folder.path)
  await using plumbline = await startService(folder.path, ['--storage', server.url])
  const targets = {
    sqlite: { ...sqlite, ca: folder.ca },
    postgres: { ...plumbline, ca: folder.ca, databasePid: server.pid },
  }
  const cpu: number[] = []
  for (let round = 0; round <= rounds; round++)
    for (const engine of ['sqlite', 'postgres'] as const) {
      const sent = await sendRound(load, targets[engine], folder, way, round)
      if (round === 0) continue
      rates[engine].push(sent.rate)
      if (engine === 'postgres') cpu.push(sent.cpu)
    }
  const { rate, share } = WANTED[way.connections] ?? {}
  const ofSqlite = ratio(rates.postgres, rates.sqlite)
  return [
    {
      what: `${way.name}, of SQLite`,
      value: ofSqlite.median,
      range: [ofSqlite.least, ofSqlite.greatest],
      ...(share === undefined ? {} : { target: { atLeast: share } }),
    },
    {
      what: `${way.name}, PostgreSQL`,
      value: median(rates.postgres),
      unit: 'records/s',
      range: [Math.min(...rates.postgres), Math.max(...rates.postgres)],
      ...(rate === undefined ? {} : { target: { atLeast: rate } }),
    },
    { what: `${way.name}, SQLite`, value: median(rates.sqlite), unit: 'records/s' },
    { what: `${way.name}: CPU per record, with the database`, value: median(cpu), unit: 'µs' },
  ]
}

async function sendRound(
  load: LoadProcess,
  target: Target,
  { ingestKey }: DataFolder,
  { connections, requests, records }: Way,
  round: number,
): Promise<{ rate: number; cpu: number }> {
  const each = records(0).length
  const bodies = Array.from({ length: requests }, (_, at) =>
    JSON.stringify({ records: records(round * requests + at) }),
  )
  const result = await load.run(target, {
    connections,
    requests: bodies.map((body) => postRequest('/ingest/v1/theme', ingestKey, body)),
    expectedBody: JSON.stringify({ accepted: each, replaced: 0, rejected: [] }),
  })
  return {
    rate: ((requests * each) / result.milliseconds) * 1000,
    cpu: (result.serverCpuMilliseconds / requests / each) * 1000,
  }
}

async function measureReading(bench: Bench): Promise<Finding[]> {
  await using server = await startPostgres()
  await using rivals = await startPostgres()
  await using folder = await makeDataFolder(DAY_HOLDINGS)
  const application = await fillPostgresStore(server.url, folder.ingestKey, DAY_HOLDINGS)
  await fillHandWrittenPostgres(rivals.url, DAY_HOLDINGS)
  for (const one of [server, rivals]) await one.query('checkpoint')
  const own = ['--storage', server.url]
  const findings: Finding[] = []
  for (const state of ['open', 'sealed'] as const) {
    if (state === 'sealed') {
      await sealDays(folder.path)
      await sealDays(folder.path, Date.now(), own)
    }
    await using sqlite = await startReadable(folder)
    await using plumbline = await startReadable({ ...folder, application }, own)
    await using hand = await startRival('express', {
      tls: folder.tls,
      database: rivals.url,
      token: sqlite.token,
    })
    const { ca } = folder
    const days = listDays(sqlite.token).map(({ path }) => path)
    const ownDays = listDays(plumbline.token).map(({ path }) => path)
    await requireSame(sqlite, days[0]!, plumbline, ownDays[0]!)
    for (const gzip of [false, true]) {
      const name = `${state} station-day${gzip ? ', gzip' : ''}`
      bench.say(`${name}, PostgreSQL`)
      const series = await compare(
        bench.load,
        {
          sqlite: { name: 'SQLite', target: sqlite, requests: requestsFor(days, gzip) },
          // The service alone: what its database takes is another process, often another machine.
          postgres: { name: 'PostgreSQL', target: plumbline, requests: requestsFor(ownDays, gzip) },
          express: {
            name: 'Express',
            target: { ...hand, ca, databasePid: rivals.pid },
            requests: requestsFor(days, gzip),
          },
        },
        roundsFor(bench.isQuick),
      )
      findings.push(...describe(name, state, series))
    }
  }
  return findings
}

function describe(
  name: string,
  state: 'open' | 'sealed',
  { sqlite, postgres: own, express }: Record<'sqlite' | 'postgres' | 'express', Series>,
): Finding[] {
  const cpu = ratio(own.cpuPerResponse, sqlite.cpuPerResponse)
  const [rate] = advantage(`${name}: PostgreSQL, times Express with PostgreSQL`, own, express)
  return [
    {
      what: `${name}: CPU of the service with PostgreSQL, of that with SQLite`,
      value: cpu.median,
      range: [cpu.least, cpu.greatest],
      ...(state === 'sealed' ? { target: { atMost: 1.6 } } : {}),
    },
    { ...rate, ...(state === 'open' ? { target: { atLeast: 5 } } : {}) },
    ...absolutes(`${name}, PostgreSQL`, own),
    ...absolutes(`${name}, SQLite`, sqlite),
    ...absolutes(`${name}, Express`, express),
  ]
}

const requestsFor = (paths: readonly string[], gzip: boolean): Uint8Array[] =>
  paths.map((path) => getRequest({ path, gzip }))

async function requireSame(
  one: Target,
  path: string,
  other: Target,
  otherPath: string,
): Promise<void> {
  const headers = { 'accept-encoding': 'gzip' }
  const [first, second] = await Promise.all([
    fetchHttps({ ...one, path, headers }),
    fetchHttps({ ...other, path: otherPath, headers }),
  ])
  if (!gunzipSync(first.body).equals(gunzipSync(second.body)))
    throw new Error(`SQLite and PostgreSQL answer differently at ${path}`)
}
