import { Agent } from 'node:https'
import { gunzipSync } from 'node:zlib'
import { absolutes, advantage, compare, type Contender } from '../compare.ts'
import { fillHandWrittenPostgres } from '../fill-postgres.ts'
import type { Holding } from '../fill.ts'
import { fetchHttps } from '../load/fetch.ts'
import type { Target } from '../load/load.ts'
import { getRequest, windowQuery } from '../load/requests.ts'
import type { Bench, Finding, Scenario } from '../scenario.ts'
import { makeDataFolder, type DataFolder } from '../servers/data-folder.ts'
import { startPostgres } from '../servers/postgres.ts'
import { startRival } from '../servers/rival.ts'
import { startReadable } from '../servers/service.ts'
import { DAY_RECORDS, stationIds } from '../site.ts'
import { randomNumbers } from '../statistics.ts'

const DAYS = 3
export const DAY_HOLDINGS: readonly Holding[] = [
  { stations: stationIds(), records: DAYS * DAY_RECORDS },
]

export const stationDay: Scenario = {
  title: 'One station-day, 1,440 records of 3 items, of 200 stations; 16 connections',

  async run(bench) {
    await using folder = await makeDataFolder(DAY_HOLDINGS)
    return describeStationDays(await measureStationDays(bench, folder), {
      ofBare: { target: { atLeast: 0.2 } },
      timesExpress: { target: { atLeast: 4 } },
      gzipOfBare: { target: { atLeast: 0.6 } },
    })
  },
}

type StationDay = { station: number; day: number; path: string }
type Answers = ReadonlyMap<string, Buffer>
type Results = Awaited<ReturnType<typeof compare<'service' | 'bare' | 'express'>>>
type StationDays = { plain: Results; gzip: Results; bytes: number; compressedBytes: number }

/**
 * Measures the service on a folder of `DAY_HOLDINGS` beside its rivals.
 *
 * With `checkCompressed` the bare server sends the service's own gzip bytes, once these are checked.
 */
export async function measureStationDays(
  { load, isQuick, say }: Bench,
  folder: DataFolder,
  checkCompressed?: (days: readonly StationDay[], responses: Answers) => void,
): Promise<StationDays> {
  await using stack = new AsyncDisposableStack()
  const service = stack.use(await startReadable(folder))
  const { ca, tls } = folder
  const { token } = service
  const postgres = stack.use(await startPostgres())
  await fillHandWrittenPostgres(postgres.url, DAY_HOLDINGS)
  await postgres.query('checkpoint')
  const hand = stack.use(await startRival('express', { tls, database: postgres.url, token }))

  const days = listDays(token)
  const paths = days.map(({ path }) => path)
  const express: Target = { ...hand, ca, databasePid: postgres.pid }
  await requireSame([service, express], paths)
  const responses = await fetchAll(service, paths)
  const compressed = await fetchAll(service, paths, GZIP)
  checkCompressed?.(days, compressed)
  const prepared = checkCompressed === undefined ? {} : { compressed }
  const limit = stack.use(await startRival('bare', { tls, responses, ...prepared }))
  const bare: Target = { ...limit, ca }

  const measure = (gzip: boolean) => {
    say(gzip ? 'with gzip' : 'plain')
    const requests = paths.map((path) => getRequest({ path, gzip }))
    const contenders = {
      service: { name: 'Plumbline', target: service, requests },
      bare: { name: 'bare node:https', target: bare, requests },
      express: { name: 'Express', target: express, requests },
    } satisfies Record<string, Contender>
    return compare(load, contenders, roundsFor(isQuick))
  }
  return {
    plain: await measure(false),
    gzip: await measure(true),
    bytes: responses.get(paths[0]!)!.length,
    compressedBytes: compressed.get(paths[0]!)!.length,
  }
}

export const roundsFor = (isQuick: boolean) => ({
  rounds: isQuick ? 2 : 7,
  milliseconds: isQuick ? 700 : 2500,
  connections: 16,
})

/** Every station and day once, in no order a cache would like. */
export function listDays(token: string): StationDay[] {
  const random = randomNumbers(3)
  return stationIds()
    .flatMap((id) => Array.from({ length: DAYS }, (_, day) => ({ id, day, at: random() })))
    .toSorted((a, b) => a.at - b.at)
    .map(({ id, day }) => ({
      station: id,
      day,
      path: `/api/v1/stations/theme/data?${windowQuery([id], day * DAY_RECORDS, DAY_RECORDS)}&token=${token}`,
    }))
}

const GZIP = { 'accept-encoding': 'gzip' }

/** Requires that all contenders send the same bytes, plain and inflated from gzip. */
async function requireSame(targets: readonly Target[], paths: readonly string[]): Promise<void> {
  for (const path of paths.slice(0, 5)) {
    const bodies = await Promise.all(
      targets.flatMap((target) => [
        fetchHttps({ ...target, path }).then(({ body }) => body),
        fetchHttps({ ...target, path, headers: GZIP }).then(({ body }) => gunzipSync(body)),
      ]),
    )
    const first = bodies[0]!
    if (bodies.some((body) => !body.equals(first))) throw new Error(`answers differ at ${path}`)
    const { stations } = JSON.parse(first.toString()) as { stations: [{ data: unknown[] }] }
    if (stations[0].data.length !== DAY_RECORDS) throw new Error(`no whole day at ${path}`)
  }
}

async function fetchAll(
  target: Target,
  paths: readonly string[],
  headers: Record<string, string> = {},
): Promise<Map<string, Buffer>> {
  const agent = new Agent({ keepAlive: true })
  try {
    const responses = new Map<string, Buffer>()
    for (const path of paths)
      responses.set(path, (await fetchHttps({ ...target, path, headers, agent })).body)
    return responses
  } finally {
    agent.destroy()
  }
}

type Wanted = Partial<
  Record<'ofBare' | 'timesExpress' | 'gzipOfBare' | 'gzipTimesExpress', Pick<Finding, 'target'>>
>

export function describeStationDays(
  { plain, gzip, bytes, compressedBytes }: StationDays,
  { ofBare, timesExpress, gzipOfBare, gzipTimesExpress }: Wanted,
  bareCompresses = 'each time',
): Finding[] {
  const bareGzip = `gzip: of the bare server, which compresses ${bareCompresses}`
  return [
    ...advantage('of the bare server', plain.service, plain.bare, ofBare),
    ...advantage('times Express with PostgreSQL rows', plain.service, plain.express, timesExpress),
    ...advantage(bareGzip, gzip.service, gzip.bare, gzipOfBare),
    ...advantage(
      'gzip: times Express with PostgreSQL rows',
      gzip.service,
      gzip.express,
      gzipTimesExpress,
    ),
    { what: 'bytes of an answer', value: bytes, unit: 'bytes' },
    { what: 'bytes of an answer, gzip', value: compressedBytes, unit: 'bytes' },
    ...absolutes('Plumbline', plain.service),
    ...absolutes('bare server', plain.bare),
    ...absolutes('Express', plain.express),
    ...absolutes('Plumbline, gzip', gzip.service),
    ...absolutes('bare server, gzip', gzip.bare),
    ...absolutes('Express, gzip', gzip.express),
  ]
}
