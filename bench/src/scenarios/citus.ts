import { toError } from '../../../service/src/errors/thrown.ts'
import { compare } from '../compare.ts'
import type { LoadProcess, Target } from '../load/load.ts'
import { getRequest, postRequest } from '../load/requests.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { startCitus } from '../servers/citus.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { fillPostgresStore } from '../servers/postgres-store.ts'
import { startPostgres } from '../servers/postgres.ts'
import { sealDays } from '../servers/seal.ts'
import { startReadable, startService } from '../servers/service.ts'
import { median, ratio } from '../statistics.ts'
import { WAYS, type Way } from './ingest.ts'
import { DAY_HOLDINGS, listDays, roundsFor } from './station-day.ts'

export const citus: Scenario = {
  title: 'Citus, a coordinator and two workers, beside plain PostgreSQL on the same machine',

  async run(bench) {
    try {
      await using _citus = await startCitus()
    } catch (error) {
      bench.say(
        `No cluster of Citus can be made here; nothing was measured: ${toError(error).message}`,
      )
      return []
    }
    const findings: Finding[] = []
    for (const way of WAYS) findings.push(...(await measureIngest(bench, way)))
    return [...findings, ...(await measureReading(bench))]
  },
}

async function measureIngest({ load, isQuick, say }: Bench, way: Way): Promise<Finding[]> {
  say(`${way.name}, Citus`)
  await using plain = await startPostgres()
  await using cluster = await startCitus()
  await using folder = await makeDataFolder()
  for (const { url } of [plain, cluster]) await fillPostgresStore(url, folder.ingestKey)
  await using one = await startService(folder.path, ['--storage', plain.url])
  await using other = await startService(folder.path, ['--storage', cluster.url])
  const sides = [
    { target: { ...one, ca: folder.ca }, rates: [] as number[] },
    { target: { ...other, ca: folder.ca }, rates: [] as number[] },
  ] as const
  const rounds = isQuick ? 2 : 5
  for (let round = 0; round <= rounds; round++)
    for (const { target, rates } of round % 2 === 0 ? sides : sides.toReversed()) {
      const rate = await sendRound(load, target, folder, way, round)
      if (round > 0) rates.push(rate)
    }
  const [ofPlain, ofCitus] = sides
  const { median: value, least, greatest } = ratio(ofCitus.rates, ofPlain.rates)
  const isBatch = way.connections < 64
  return [
    {
      what: `${way.name}, Citus, of plain PostgreSQL`,
      value,
      range: [least, greatest],
      ...(isBatch ? { target: { atLeast: 0.5 } } : {}),
    },
    { what: `${way.name}, Citus`, value: median(ofCitus.rates), unit: 'records/s' },
    { what: `${way.name}, plain PostgreSQL`, value: median(ofPlain.rates), unit: 'records/s' },
  ]
}

async function sendRound(
  load: LoadProcess,
  target: Target,
  { ingestKey }: DataFolder,
  { connections, requests: count, records }: Way,
  round: number,
): Promise<number> {
  // A cluster takes a write of 200 stations in some ten milliseconds, which is long enough to measure.
  const requests = Math.ceil(count / 4)
  const each = records(0).length
  const bodies = Array.from({ length: requests }, (_, at) =>
    JSON.stringify({ records: records(round * requests + at) }),
  )
  const { milliseconds } = await load.run(target, {
    connections,
    requests: bodies.map((body) => postRequest('/ingest/v1/theme', ingestKey, body)),
    expectedBody: JSON.stringify({ accepted: each, replaced: 0, rejected: [] }),
  })
  return ((requests * each) / milliseconds) * 1000
}

async function measureReading({ load, isQuick, say }: Bench): Promise<Finding[]> {
  await using plain = await startPostgres()
  await using cluster = await startCitus()
  await using folder = await makeDataFolder()
  const findings: Finding[] = []
  const sides = []
  for (const { url } of [plain, cluster]) {
    const application = await fillPostgresStore(url, folder.ingestKey, DAY_HOLDINGS)
    sides.push({ own: ['--storage', url], application })
  }
  const [first, second] = sides
  if (first === undefined || second === undefined) throw new Error('there are two sides')
  for (const state of ['open', 'sealed'] as const) {
    if (state === 'sealed')
      for (const { own } of sides) await sealDays(folder.path, Date.now(), own)
    say(`${state} station-day, Citus`)
    await using one = await startReadable({ ...folder, application: first.application }, first.own)
    await using other = await startReadable(
      { ...folder, application: second.application },
      second.own,
    )
    // One client: the time of a response is its latency.
    const series = await compare(
      load,
      { plain: contender('plain', one), citus: contender('citus', other) },
      { ...roundsFor(isQuick), connections: 1 },
    )
    const { median: value, least, greatest } = ratio(series.plain.rates, series.citus.rates)
    findings.push(
      {
        what: `${state} station-day, gzip: latency with Citus, of plain PostgreSQL`,
        value,
        range: [least, greatest],
        target: { atMost: 2 },
      },
      ...(['plain', 'citus'] as const).map((name) => ({
        what: `${state} station-day, gzip, ${name}: latency`,
        value: 1000 / median(series[name].rates),
        unit: 'ms',
      })),
    )
  }
  return findings
}

const contender = (name: string, target: Target & { token: string }) => ({
  name,
  target,
  requests: listDays(target.token).map(({ path }) => getRequest({ path, gzip: true })),
})
