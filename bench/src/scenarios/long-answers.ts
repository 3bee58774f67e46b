import { setTimeout as delay } from 'node:timers/promises'
import type { LoadProcess, Target } from '../load/load.ts'
import { getRequest, windowQuery } from '../load/requests.ts'
import { forgetPeak, peakMegabytes, residentMegabytes } from '../process-figures.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { issueToken, startService } from '../servers/service.ts'
import { DAY_RECORDS, YEAR_RECORDS, stationIds } from '../site.ts'

const CLIENTS = 16
const SETTLE_MILLISECONDS = 1500

/** The station that has a whole year; the others have a day. */
const YEAR_STATION = 1

export const longAnswers: Scenario = {
  title: 'Long answers: 50 stations x one day, one station x one year (525,600 records)',

  async run({ load, isQuick, say }) {
    await using folder = await makeDataFolder([
      { stations: stationIds().filter((id) => id !== YEAR_STATION), records: DAY_RECORDS },
      { stations: [YEAR_STATION], records: YEAR_RECORDS },
    ])
    const findings: Finding[] = []
    for (const answer of ANSWERS) {
      say(answer.name)
      findings.push(await measureFirstByte(load, folder, answer, isQuick ? 5 : 20))
      findings.push(...(await measureReading(load, folder, answer)))
      findings.push(await measureStalling(load, folder, answer, isQuick ? 3000 : 8000))
    }
    return findings.toSorted(
      (a, b) => Number(b.target !== undefined) - Number(a.target !== undefined),
    )
  },
}

type LongAnswer = { name: string; query: string; gzip: boolean }

const FIFTY_DAYS = windowQuery(stationIds(51).slice(1), 0, DAY_RECORDS)
const YEAR = windowQuery([YEAR_STATION], 0, YEAR_RECORDS)

const ANSWERS: readonly LongAnswer[] = [
  { name: '50 stations x day', query: FIFTY_DAYS, gzip: false },
  { name: '50 stations x day, gzip', query: FIFTY_DAYS, gzip: true },
  { name: 'year', query: YEAR, gzip: false },
  { name: 'year, gzip', query: YEAR, gzip: true },
]

async function measureFirstByte(
  load: LoadProcess,
  folder: DataFolder,
  answer: LongAnswer,
  times: number,
): Promise<Finding> {
  await using service = await startWarm(load, folder)
  const requests = Array.from({ length: times }, () => service.request(answer))
  const { firstByte } = await load.run(service.target, { connections: 1, requests })
  return {
    what: `${answer.name}: first byte, slowest of ${times}`,
    value: firstByte.greatest,
    unit: 'ms',
    target: { atMost: 50 },
  }
}

/** How much the service grows while every client reads as fast as it can. */
async function measureReading(
  load: LoadProcess,
  folder: DataFolder,
  answer: LongAnswer,
): Promise<Finding[]> {
  await using service = await startWarm(load, folder)
  const requests = Array.from({ length: CLIENTS * 2 }, () => service.request(answer))
  const { growth, result } = await watchGrowth(service.target.pid, () =>
    load.run(service.target, { connections: CLIENTS, requests }),
  )
  const seconds = result.milliseconds / 1000
  return [
    {
      what: `${answer.name}: growth while ${CLIENTS} read`,
      value: growth,
      unit: 'MB',
      target: { atMost: 32 },
    },
    {
      what: `${answer.name}: first byte while ${CLIENTS} read, slowest`,
      value: result.firstByte.greatest,
      unit: 'ms',
    },
    {
      what: `${answer.name}: sent to ${CLIENTS}`,
      value: result.bytes / 2 ** 20 / seconds,
      unit: 'MB/s',
    },
    {
      what: `${answer.name}: server CPU per answer`,
      value: result.serverCpuMilliseconds / result.answers,
      unit: 'ms',
    },
  ]
}

/** How much it grows while clients ask and never read. */
async function measureStalling(
  load: LoadProcess,
  folder: DataFolder,
  answer: LongAnswer,
  milliseconds: number,
): Promise<Finding> {
  await using service = await startWarm(load, folder)
  const job = { connections: CLIENTS, requests: [service.request(answer)] }
  const { growth } = await watchGrowth(service.target.pid, () =>
    load.stall(service.target, job, milliseconds),
  )
  return {
    what: `${answer.name}: growth while ${CLIENTS} do not read`,
    value: growth,
    unit: 'MB',
    target: { atMost: 32 },
  }
}

/** A service of its own that has answered station-days, so that growth is the long answers'. */
async function startWarm(load: LoadProcess, folder: DataFolder) {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startService(folder.path))
  const token = await issueToken(server, folder)
  const target: Target = { ...server, ca: folder.ca }
  const request = ({ query, gzip }: Omit<LongAnswer, 'name'>) =>
    getRequest({ path: `/api/v1/stations/theme/data?${query}&token=${token}`, gzip })

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
