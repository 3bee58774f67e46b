import { setTimeout as delay } from 'node:timers/promises'
import type { LoadProcess, Measured } from '../load/load.ts'
import { getRequest, windowQuery } from '../load/requests.ts'
import { forgetPeak, peakMegabytes, residentMegabytes } from '../process-figures.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { startReadable } from '../servers/service.ts'
import { DAY_RECORDS, YEAR_RECORDS, stationIds } from '../site.ts'

/** How many read at once. */
export const CLIENTS = 16
const SETTLE_MILLISECONDS = 1500

/** The station that has a whole year; the others have a day. */
const YEAR_STATION = 1

export const longResponses: Scenario = {
  title: 'Long answers: 50 stations x one day, one station x one year (525,600 records)',

  async run({ load, isQuick, say }) {
    await using folder = await makeYearFolder()
    const findings: Finding[] = []
    const times = isQuick ? 5 : 20
    for (const response of ANSWERS) {
      say(response.name)
      const { firstByte } = await readAlone(load, folder, response, times)
      findings.push({
        what: `${response.name}: first byte, slowest of ${times}`,
        value: firstByte.greatest,
        unit: 'ms',
        target: { atMost: 50 },
      })
      findings.push(...describeReading(response, await readTogether(load, folder, response)))
      findings.push(await measureStalling(load, folder, response, isQuick ? 3000 : 8000))
    }
    return findings.toSorted(
      (a, b) => Number(b.target !== undefined) - Number(a.target !== undefined),
    )
  },
}

export type LongResponse = { path?: string; query: string; gzip: boolean }
type NamedResponse = LongResponse & { name: string }

const DATA_PATH = '/api/v1/stations/theme/data'

const FIFTY_DAYS = windowQuery(stationIds(51).slice(1), 0, DAY_RECORDS)
export const YEAR = windowQuery([YEAR_STATION], 0, YEAR_RECORDS)

const ANSWERS: readonly NamedResponse[] = [
  { name: '50 stations x day', query: FIFTY_DAYS, gzip: false },
  { name: '50 stations x day, gzip', query: FIFTY_DAYS, gzip: true },
  { name: 'year', query: YEAR, gzip: false },
  { name: 'year, gzip', query: YEAR, gzip: true },
]

/** One station's year, and a day of every other. */
export const makeYearFolder = (): Promise<DataFolder> =>
  makeDataFolder([
    { stations: stationIds().filter((id) => id !== YEAR_STATION), records: DAY_RECORDS },
    { stations: [YEAR_STATION], records: YEAR_RECORDS },
  ])

/** One client reads a response several times. */
export async function readAlone(
  load: LoadProcess,
  folder: DataFolder,
  response: LongResponse,
  times: number,
): Promise<Measured> {
  await using service = await startWarm(load, folder)
  const requests = Array.from({ length: times }, () => service.request(response))
  return await load.run(service.target, { connections: 1, requests })
}

/** How much the service grows while every client reads as fast as it can. */
export async function readTogether(
  load: LoadProcess,
  folder: DataFolder,
  response: LongResponse,
): Promise<Reading> {
  await using service = await startWarm(load, folder)
  const requests = Array.from({ length: CLIENTS * 2 }, () => service.request(response))
  return await watchGrowth(service.target.pid, () =>
    load.run(service.target, { connections: CLIENTS, requests }),
  )
}

type Reading = { growth: number; result: Measured }

function describeReading({ name }: NamedResponse, { growth, result }: Reading): Finding[] {
  const seconds = result.milliseconds / 1000
  return [
    {
      what: `${name}: growth while ${CLIENTS} read`,
      value: growth,
      unit: 'MB',
      target: { atMost: 32 },
    },
    {
      what: `${name}: first byte while ${CLIENTS} read, slowest`,
      value: result.firstByte.greatest,
      unit: 'ms',
    },
    {
      what: `${name}: sent to ${CLIENTS}`,
      value: result.bytes / 2 ** 20 / seconds,
      unit: 'MB/s',
    },
    {
      what: `${name}: server CPU per answer`,
      value: result.serverCpuMilliseconds / result.responses,
      unit: 'ms',
    },
  ]
}

/** How much it grows while clients ask and never read. */
async function measureStalling(
  load: LoadProcess,
  folder: DataFolder,
  response: NamedResponse,
  milliseconds: number,
): Promise<Finding> {
  await using service = await startWarm(load, folder)
  const job = { connections: CLIENTS, requests: [service.request(response)] }
  const { growth } = await watchGrowth(service.target.pid, () =>
    load.stall(service.target, job, milliseconds),
  )
  return {
    what: `${response.name}: growth while ${CLIENTS} do not read`,
    value: growth,
    unit: 'MB',
    target: { atMost: 32 },
  }
}

/** A service of its own that has answered station-days, so that growth is the long answers'. */
async function startWarm(load: LoadProcess, folder: DataFolder) {
  await using stack = new AsyncDisposableStack()
  const { token, ...target } = stack.use(await startReadable(folder))
  const request = ({ path = DATA_PATH, query, gzip }: LongResponse) =>
    getRequest({ path: `${path}?${query}&token=${token}`, gzip })

  const days = stationIds().map((id) => windowQuery([id], 0, DAY_RECORDS))
  const requests = days.flatMap((query) => [
    request({ query, gzip: false }),
    request({ query, gzip: true }),
  ])
  await load.run(target, { connections: 1, requests })
  await delay(SETTLE_MILLISECONDS)
  const started = stack.move()
  return { target, request, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

async function watchGrowth<Result>(pid: number, act: () => Promise<Result>) {
  const before = residentMegabytes(pid)
  forgetPeak(pid)
  const result = await act()
  return { growth: peakMegabytes(pid) - before, result }
}
