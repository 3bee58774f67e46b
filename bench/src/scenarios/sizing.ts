import { withClient } from '../../../service/test/postgres/_client.ts'
import { BATCH_RECORDS, gatewayBatch, minuteOf } from '../batches.ts'
import type { LoadProcess, Target } from '../load/load.ts'
import { postRequest } from '../load/requests.ts'
import { familyCpuMilliseconds, peakMegabytes, residentMegabytes } from '../process-figures.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { fillPostgresStore } from '../servers/postgres-store.ts'
import { startPostgres } from '../servers/postgres.ts'
import { sealDays } from '../servers/seal.ts'
import { startService } from '../servers/service.ts'
import { DAY_RECORDS, manyStations, STATION_COUNT } from '../site.ts'

type Database = Awaited<ReturnType<typeof startPostgres>>

const BATCHES_A_DAY = (STATION_COUNT * DAY_RECORDS) / BATCH_RECORDS

export const sizing: Scenario = {
  title: 'Sizing: bytes and processor time of a record on both engines; a service of many stations',

  async run(bench) {
    const stations = bench.isQuick ? 10_000 : 100_000
    return [
      ...(await measureRecords(bench)),
      ...(await measureStations(bench, 'SQLite', stations)),
      ...(await measureStations(bench, 'PostgreSQL', stations)),
    ]
  },
}

/** What records cost in PostgreSQL while their days are open, and after they are sealed. */
async function measureRecords({ load, isQuick, say }: Bench): Promise<Finding[]> {
  say('records in PostgreSQL')
  const days = isQuick ? 1 : 5
  const records = days * STATION_COUNT * DAY_RECORDS
  await using server = await startPostgres()
  await using folder = await makeDataFolder()
  await fillPostgresStore(server.url, folder.ingestKey)
  const own = ['--storage', server.url]
  const atStart = await readCosts(server)
  const sent = await (async () => {
    await using service = await startService(folder.path, own)
    const target = { ...service, ca: folder.ca }
    return await sendBatches(load, target, folder, days * BATCHES_A_DAY)
  })()
  await server.query('checkpoint')
  const open = await readCosts(server)
  const sealing = await sealDays(folder.path, Date.now(), own)
  await server.query('checkpoint')
  const sealed = await readCosts(server)

  const perRecord = (value: number): number => value / records
  return [
    { what: 'PostgreSQL, open day: a record', value: perRecord(open.openBytes), unit: 'bytes' },
    {
      what: 'PostgreSQL, sealed day: a record',
      value: perRecord(sealed.sealedBytes),
      unit: 'bytes',
    },
    {
      what: 'PostgreSQL, write-ahead log of taking a record in',
      value: perRecord(open.logBytes - atStart.logBytes),
      unit: 'bytes',
    },
    {
      what: 'PostgreSQL, write-ahead log of sealing a record',
      value: perRecord(sealed.logBytes - open.logBytes),
      unit: 'bytes',
    },
    { what: 'service: CPU of taking a record in', value: sent.cpu, unit: 'µs' },
    {
      what: 'PostgreSQL: CPU of taking a record in',
      value: perRecord(open.cpuMilliseconds - atStart.cpuMilliseconds) * 1000,
      unit: 'µs',
    },
    {
      what: 'plumbline seal: CPU of a record',
      value: perRecord(sealing.cpuMilliseconds) * 1000,
      unit: 'µs',
    },
    {
      what: 'PostgreSQL: CPU of sealing a record',
      value: perRecord(sealed.cpuMilliseconds - open.cpuMilliseconds) * 1000,
      unit: 'µs',
    },
    {
      what: 'PostgreSQL: records sealed',
      value: (sealing.records / sealing.milliseconds) * 1000,
      unit: 'records/s',
    },
  ]
}

/** What a service needs for many stations, each with a record a minute. */
async function measureStations(
  { load, say }: Bench,
  engine: 'SQLite' | 'PostgreSQL',
  count: number,
): Promise<Finding[]> {
  say(`${count} stations, ${engine}`)
  const site = manyStations(count)
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await makeDataFolder([], site))
  const own: string[] = []
  if (engine === 'PostgreSQL') {
    const server = stack.use(await startPostgres())
    await fillPostgresStore(server.url, folder.ingestKey, [], site)
    own.push('--storage', server.url)
  }
  const begin = performance.now()
  const service = stack.use(await startService(folder.path, own))
  const started = performance.now() - begin
  const atStart = residentMegabytes(service.pid)
  const target = { ...service, ca: folder.ca }
  const minutes = [0, 1, 2]
  const rates: number[] = []
  for (const minute of minutes) {
    const bodies = Array.from({ length: count / BATCH_RECORDS }, (_, at) => {
      const own = Array.from({ length: BATCH_RECORDS }, (__, one) => at * BATCH_RECORDS + one + 1)
      return JSON.stringify({ records: minuteOf(own, minute) })
    })
    const sent = await send(load, target, folder, bodies)
    rates.push(sent.rate)
  }
  const what = `${engine}, ${count.toLocaleString('en')} stations`
  return [
    { what: `${what}: start of the service`, value: started, unit: 'ms' },
    { what: `${what}: memory after the start`, value: atStart, unit: 'MB' },
    {
      what: `${what}: memory after three minutes of records`,
      value: residentMegabytes(service.pid),
      unit: 'MB',
    },
    { what: `${what}: most memory`, value: peakMegabytes(service.pid), unit: 'MB' },
    { what: `${what}: records of the first minute`, value: rates[0] ?? 0, unit: 'records/s' },
    {
      what: `${what}: records of the third minute, a record of each station in a batch of 1,000`,
      value: rates.at(-1) ?? 0,
      unit: 'records/s',
      target: { atLeast: count / 60 },
    },
  ]
}

/** Sends batches of the measured site, some hundred at a time. */
async function sendBatches(
  load: LoadProcess,
  target: Target,
  folder: DataFolder,
  count: number,
): Promise<{ cpu: number }> {
  const AT_ONCE = 200
  let cpu = 0
  for (let from = 0; from < count; from += AT_ONCE) {
    const bodies = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) =>
      JSON.stringify({ records: gatewayBatch(from + at) }),
    )
    cpu += (await send(load, target, folder, bodies)).cpuMilliseconds
  }
  return { cpu: (cpu / count / BATCH_RECORDS) * 1000 }
}

async function send(
  load: LoadProcess,
  target: Target,
  { ingestKey }: DataFolder,
  bodies: readonly string[],
): Promise<{ rate: number; cpuMilliseconds: number }> {
  const result = await load.run(target, {
    connections: 4,
    requests: bodies.map((body) => postRequest('/ingest/v1/theme', ingestKey, body)),
    expectedBody: JSON.stringify({ accepted: BATCH_RECORDS, replaced: 0, rejected: [] }),
  })
  return {
    rate: ((bodies.length * BATCH_RECORDS) / result.milliseconds) * 1000,
    cpuMilliseconds: result.serverCpuMilliseconds,
  }
}

type Costs = { openBytes: number; sealedBytes: number; logBytes: number; cpuMilliseconds: number }

/** What the database holds and has done until now. */
async function readCosts(server: Database): Promise<Costs> {
  return withClient({ connectionString: server.url }, async (client) => {
    const { rows } = await client.query<Record<'open' | 'sealed' | 'log', string>>(
      `select pg_total_relation_size('theme_records') as open,
         pg_total_relation_size('theme_sealed_parts') as sealed,
         pg_current_wal_lsn() - '0/0' as log`,
    )
    const [row] = rows
    if (row === undefined) throw new Error('a query of sizes has no row')
    return {
      openBytes: Number(row.open),
      sealedBytes: Number(row.sealed),
      logBytes: Number(row.log),
      cpuMilliseconds: familyCpuMilliseconds(server.pid),
    }
  })
}
