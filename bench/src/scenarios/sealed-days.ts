import Sqlite from 'better-sqlite3'
import { absolutes, compare } from '../compare.ts'
import { fetchHttps } from '../load/fetch.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { SealedFile } from '../sealed.ts'
import { makeDataFolder } from '../servers/data-folder.ts'
import { sealDays } from '../servers/seal.ts'
import { startReadable } from '../servers/service.ts'
import {
  DAY,
  DAY_RECORDS,
  FIRST_INSTANT,
  STATION_COUNT,
  YEAR_RECORDS,
  stationIds,
} from '../site.ts'
import { ratio } from '../statistics.ts'
import { sizeOf } from './disk.ts'
import { ingestWhileSealing } from './ingest-while-sealing.ts'
import { CLIENTS, YEAR, makeYearFolder, readAlone, readTogether } from './long-answers.ts'
import { newestContender, newestRounds } from './newest-record.ts'
import { DAY_HOLDINGS, describeStationDays, measureStationDays } from './station-day.ts'

export const sealedDays: Scenario = {
  title: 'Sealed days: past local days kept in the compressed bytes in which they are sent',

  async run(bench) {
    const findings: Finding[] = []
    for (const [name, measure] of Object.entries(PARTS)) {
      bench.say(name)
      findings.push(...(await measure(bench)))
    }
    return findings
  },
}

const PARTS: Record<string, (bench: Bench) => Promise<Finding[]>> = {
  'station-days': stationDays,
  'a year': year,
  'newest record': newest,
  'sealing and disk': sealing,
  'ingest while it seals': ingestWhileSealing,
}

async function stationDays(bench: Bench): Promise<Finding[]> {
  await using folder = await makeDataFolder(DAY_HOLDINGS)
  await sealDays(folder.path)
  const measured = await measureStationDays(bench, folder, (days, responses) => {
    using sealed = new SealedFile(folder.database)
    for (const { station, day, path } of days)
      if (
        responses.get(path)?.includes(sealed.deflated(station, FIRST_INSTANT + day * DAY)) !== true
      )
        throw new Error(`no sealed day passes through at ${path}`)
  })
  const wanted = {
    ofBare: { target: { atLeast: 0.2 } },
    timesExpress: { target: { atLeast: 4 } },
    gzipOfBare: { target: { atLeast: 0.25 } },
    gzipTimesExpress: { target: { atLeast: 30 } },
  }
  return describeStationDays(measured, wanted, 'beforehand').map(({ what, ...finding }) => ({
    what: `station-day, ${what}`,
    ...finding,
  }))
}

async function year({ load, isQuick }: Bench): Promise<Finding[]> {
  await using folder = await makeYearFolder()
  await sealDays(folder.path)
  const times = isQuick ? 5 : 20
  const records = { query: YEAR, gzip: true }
  await requireWholeChart(folder, CHART_OF_YEAR.query)
  const read = await readAlone(load, folder, records, times)
  const { growth, result } = await readTogether(load, folder, records)
  const drawn = await readAlone(load, folder, CHART_OF_YEAR, times)
  return [
    {
      what: `year, gzip: first byte, slowest of ${times}`,
      value: read.firstByte.greatest,
      unit: 'ms',
      target: { atMost: 20 },
    },
    {
      what: `year, gzip: whole answer, median of ${times}`,
      value: read.response.median,
      unit: 'ms',
      target: { atMost: 150 },
    },
    {
      what: `year, gzip: growth while ${CLIENTS} read, for each`,
      value: growth / CLIENTS,
      unit: 'MB',
      target: { atMost: 8 },
    },
    {
      what: `chart of a year, 1,000 points of one item: median of ${times}`,
      value: drawn.response.median,
      unit: 'ms',
      target: { atMost: 20 },
    },
    {
      what: `chart of a year, 1,000 points of one item: slowest of ${times}`,
      value: drawn.response.greatest,
      unit: 'ms',
      target: { atMost: 20 },
    },
    { what: `year, gzip: growth while ${CLIENTS} read`, value: growth, unit: 'MB' },
    {
      what: 'year, gzip: server CPU per answer',
      value: result.serverCpuMilliseconds / result.responses,
      unit: 'ms',
    },
    {
      what: 'chart of a year: server CPU per answer',
      value: drawn.serverCpuMilliseconds / drawn.responses,
      unit: 'ms',
    },
    { what: 'year, gzip: bytes', value: read.bytes / read.responses, unit: 'bytes' },
    { what: 'chart of a year: bytes', value: drawn.bytes / drawn.responses, unit: 'bytes' },
  ]
}

const SERIES_PATH = '/manage/v1/series'

/** A thousand points of one item over a year. */
export const CHART_OF_YEAR = {
  path: SERIES_PATH,
  query: `${YEAR}&points=1000&items=x`,
  gzip: true,
}

/** Every record of the year is in the chart. */
async function requireWholeChart(
  folder: Awaited<ReturnType<typeof makeYearFolder>>,
  query: string,
): Promise<void> {
  await using service = await startReadable(folder)
  const path = `${SERIES_PATH}?${query}&token=${service.token}`
  const { body } = await fetchHttps({ ...service, path })
  type Chart = { stations: [{ items: { x: { count: number[] } } }] }
  const { count } = (JSON.parse(body.toString()) as Chart).stations[0].items.x
  const records = count.reduce((sum, some) => sum + some, 0)
  if (records !== YEAR_RECORDS) throw new Error(`the chart of a year has ${records} records`)
}

async function newest({ load, isQuick }: Bench): Promise<Finding[]> {
  await using stack = new AsyncDisposableStack()
  const days = isQuick ? 2 : 7
  const start = async (name: string, before?: number) => {
    const holdings = [{ stations: stationIds(), records: days * DAY_RECORDS }]
    const folder = stack.use(await makeDataFolder(holdings))
    if (before !== undefined) await sealDays(folder.path, before)
    return await newestContender(`newest record, ${name}`, folder, stack)
  }
  const contenders = {
    open: await start('before sealing'),
    sealed: await start('everything sealed', FIRST_INSTANT + days * DAY),
    below: await start('an open day above sealed ones', FIRST_INSTANT + (days - 1) * DAY),
  }
  const { open, sealed, below } = await compare(load, contenders, newestRounds(isQuick))
  const compared = [
    { contender: contenders.sealed, series: sealed },
    { contender: contenders.below, series: below },
  ]
  return [
    ...compared.map(({ contender, series }): Finding => {
      const { median, least, greatest } = ratio(series.cpuPerResponse, open.cpuPerResponse)
      return {
        what: `${contender.name}, by before, CPU (1.0 is wanted, 0.1 left to noise)`,
        value: median,
        range: [least, greatest],
        target: { atMost: 1.1 },
      }
    }),
    ...absolutes(contenders.open.name, open),
    ...compared.flatMap(({ contender, series }) => absolutes(contender.name, series)),
  ]
}

async function sealing({ isQuick }: Bench): Promise<Finding[]> {
  const days = isQuick ? 2 : 7
  const records = days * DAY_RECORDS * STATION_COUNT
  await using folder = await makeDataFolder([
    { stations: stationIds(), records: days * DAY_RECORDS },
  ])
  const before = await sizeOf(folder.database)
  const whole = await sealDays(folder.path)
  if (whole.records !== records) throw new Error(`${whole.records} of ${records} were sealed`)
  // The same with nothing to do is what the process takes to start and to end.
  const idle = await sealDays(folder.path)
  const database = new Sqlite(folder.database)
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
  const what = `plumbline seal, ${STATION_COUNT} stations x ${days} days`
  const perSecond = (of: 'milliseconds' | 'cpuMilliseconds') =>
    (records * 1000) / (whole[of] - idle[of])
  return [
    {
      what: `${what}: on one core, by CPU, without its start`,
      value: perSecond('cpuMilliseconds'),
      unit: 'records/s',
      target: { atLeast: 200_000 },
    },
    {
      what: `disk, ${STATION_COUNT} stations x ${days} days sealed, a record`,
      value: (await sizeOf(folder.database)) / records,
      unit: 'bytes',
      target: { atMost: 12 },
    },
    {
      what: `${what}: by the clock, without its start`,
      value: perSecond('milliseconds'),
      unit: 'records/s',
    },
    { what: `${what}: its start`, value: idle.milliseconds, unit: 'ms' },
    { what: 'disk, the same before sealing, a record', value: before / records, unit: 'bytes' },
  ]
}
