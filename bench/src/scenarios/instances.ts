import { freePort } from '../../../service/test/_free-port.ts'
import { minuteOf } from '../batches.ts'
import { canLimitCpu, limitCpu } from '../cpu-limit.ts'
import { LoadProcess, type Target } from '../load/load.ts'
import { postRequest } from '../load/requests.ts'
import { familyCpuMilliseconds } from '../process-figures.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { fillPostgresStore } from '../servers/postgres-store.ts'
import { startPostgres } from '../servers/postgres.ts'
import { startService } from '../servers/service.ts'
import { STATION_COUNT, stationIds } from '../site.ts'
import { median, ratio } from '../statistics.ts'
import { siteWith } from './alarms.ts'

const HALF = STATION_COUNT / 2
const MINUTES_A_BATCH = 10

/** Of each load process: enough that an instance with half of the stations has always work. */
const CONNECTIONS = 4

export const instances: Scenario = {
  title:
    'Two instances on PostgreSQL beside one: three levels on every item, each its own stations',

  async run(bench) {
    const findings = await compareInstances(bench, '')
    // On the cores of one machine one instance and its database leave less than half for another.
    if (!canLimitCpu()) return findings
    return [
      ...findings,
      ...(await compareInstances(bench, `, each with ${SHARE} of a core`, SHARE)),
    ]
  },
}

/** The part of a core for each instance where it is limited: with two there is enough for all else. */
const SHARE = 0.3

async function compareInstances(bench: Bench, how: string, share?: number): Promise<Finding[]> {
  await using one = await openInstances(bench, 1, share)
  await using two = await openInstances(bench, 2, share)
  const rounds = bench.isQuick ? 2 : 7
  // A round before the first one that counts, for the compiler to see the code.
  for (let round = 0; round <= rounds; round++)
    for (const side of round % 2 === 0 ? [one, two] : [two, one]) await side.send(round)
  const rate = ratio(two.rates, one.rates)
  const cpu = ratio(two.cpu, one.cpu)
  return [
    {
      what: `batches of 1,000${how}: records/s of two instances, of one`,
      value: rate.median,
      range: [rate.least, rate.greatest],
      // Without a limit the cores of this machine are the limit.
      ...(share === undefined ? {} : { target: { atLeast: 1.6 } }),
    },
    {
      what: `batches of 1,000${how}: CPU of a record with two instances, of one; without the database`,
      value: cpu.median,
      range: [cpu.least, cpu.greatest],
    },
    {
      what: `writes of two instances that were computed again${how}`,
      value: await two.countConflicts(),
      target: { atMost: 0 },
    },
    ...describe(`one instance${how}`, one),
    ...describe(`two instances${how}`, two),
  ]
}

const describe = (name: string, { rates, cpu, databaseCpu }: Side): Finding[] => [
  { what: `${name}: batches of 1,000`, value: median(rates), unit: 'records/s' },
  { what: `${name}: CPU of a record`, value: median(cpu), unit: 'µs' },
  { what: `${name}: CPU of the database for a record`, value: median(databaseCpu), unit: 'µs' },
]

type Side = Awaited<ReturnType<typeof openInstances>>

/** Instances on a database of their own, and a load process for each half of the stations. */
async function openInstances({ isQuick, say }: Bench, count: number, share?: number) {
  say(`${count} instance${count === 1 ? '' : 's'}${share === undefined ? '' : ', limited'}`)
  await using stack = new AsyncDisposableStack()
  const site = siteWith(0)
  const server = stack.use(await startPostgres())
  const folder = stack.use(await makeDataFolder([], site))
  await fillPostgresStore(server.url, folder.ingestKey, [], site)
  const targets: Target[] = []
  const opsPorts: number[] = []
  for (let at = 0; at < count; at++) {
    const ops = await freePort()
    const settings = { PLUMBLINE_OPS_PORT: String(ops) }
    const service = stack.use(await startService(folder.path, ['--storage', server.url], settings))
    if (share !== undefined) stack.use(limitCpu([service.pid], share))
    targets.push({ ...service, ca: folder.ca })
    opsPorts.push(ops)
  }
  const loads = [stack.use(new LoadProcess()), stack.use(new LoadProcess())]
  const requests = isQuick ? 20 : 100
  const rates: number[] = []
  const cpu: number[] = []
  const databaseCpu: number[] = []
  const kept = stack.move()
  return {
    rates,
    cpu,
    databaseCpu,

    /** Sends a round of batches, half of the stations by each load process. */
    async send(round: number): Promise<void> {
      const before = familyCpuMilliseconds(server.pid)
      const sent = await Promise.all(
        loads.map((load, half) => {
          const target = targets[half % targets.length]
          if (target === undefined) throw new Error('there is no instance')
          return load.run(target, {
            connections: CONNECTIONS,
            requests: batches(folder, half, round * requests, requests),
            expectedBody: JSON.stringify({ accepted: 1_000, replaced: 0, rejected: [] }),
          })
        }),
      )
      if (round === 0) return
      const records = loads.length * requests * 1_000
      const slowest = Math.max(...sent.map(({ milliseconds }) => milliseconds))
      rates.push((records / slowest) * 1000)
      const own = sent.reduce((sum, { serverCpuMilliseconds }) => sum + serverCpuMilliseconds, 0)
      // Both load processes count the processor time of the same instance.
      cpu.push((own / (count === 1 ? 2 : 1) / records) * 1000)
      databaseCpu.push(((familyCpuMilliseconds(server.pid) - before) / records) * 1000)
    },

    async countConflicts(): Promise<number> {
      const counts = await Promise.all(opsPorts.map(readConflicts))
      return counts.reduce((sum, one) => sum + one, 0)
    },

    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const batches = (
  { ingestKey }: DataFolder,
  half: number,
  first: number,
  count: number,
): Uint8Array[] => {
  const stations = stationIds().slice(half * HALF, (half + 1) * HALF)
  return Array.from({ length: count }, (_, at) => {
    const records = Array.from({ length: MINUTES_A_BATCH }, (__, minute) =>
      minuteOf(stations, (first + at) * MINUTES_A_BATCH + minute),
    ).flat()
    return postRequest('/ingest/v1/theme', ingestKey, JSON.stringify({ records }))
  })
}

async function readConflicts(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return [...text.matchAll(/^plumbline_write_conflicts_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  )
}
