import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { absolutes, advantage, compare, type Contender } from '../compare.ts'
import { fillHandWritten } from '../fill.ts'
import { fetchHttps } from '../load/fetch.ts'
import type { Target } from '../load/load.ts'
import { getRequest, windowQuery } from '../load/requests.ts'
import type { Finding, Scenario } from '../scenario.ts'
import { makeDataFolder } from '../servers/data-folder.ts'
import { startRival } from '../servers/rival.ts'
import { issueToken, startService } from '../servers/service.ts'
import { DAY_RECORDS, stationIds } from '../site.ts'
import { randomNumbers } from '../statistics.ts'

const DAYS = 3

export const stationDay: Scenario = {
  title: 'One station-day, 1,440 records of 3 items, of 200 stations; 16 connections',

  async run({ load, isQuick }) {
    await using stack = new AsyncDisposableStack()
    const holdings = [{ stations: stationIds(), records: DAYS * DAY_RECORDS }]
    const folder = stack.use(await makeDataFolder(holdings))
    const own = stack.use(await startService(folder.path))
    const token = await issueToken(own, folder)
    const file = join(folder.path, 'hand-written.db')
    fillHandWritten(file, holdings)
    const hand = stack.use(await startRival('express', { tls: folder.tls, file, token }))

    const ca = folder.ca
    const paths = listPaths(token)
    const service: Target = { ...own, ca }
    const express: Target = { ...hand, ca }
    await requireSame([service, express], paths)
    const answers = await fetchAll(service, paths)
    const limit = stack.use(await startRival('bare', { tls: folder.tls, answers }))
    const bare: Target = { ...limit, ca }

    const measure = (gzip: boolean) => {
      const requests = paths.map((path) => getRequest({ path, gzip }))
      const contenders = {
        service: { name: 'Plumbline', target: service, requests },
        bare: { name: 'bare node:https', target: bare, requests },
        express: { name: 'Express', target: express, requests },
      } satisfies Record<string, Contender>
      return compare(load, contenders, roundsFor(isQuick))
    }
    const bytes = answers.get(paths[0]!)!.length
    return findings(await measure(false), await measure(true), bytes)
  },
}

const roundsFor = (isQuick: boolean) => ({
  rounds: isQuick ? 3 : 7,
  milliseconds: isQuick ? 1000 : 2500,
  connections: 16,
})

/** Every station and day once, in no order a cache would like. */
function listPaths(token: string): string[] {
  const random = randomNumbers(3)
  return stationIds()
    .flatMap((id) => Array.from({ length: DAYS }, (_, day) => ({ id, day, at: random() })))
    .toSorted((a, b) => a.at - b.at)
    .map(
      ({ id, day }) =>
        `/api/v1/stations/theme/data?${windowQuery([id], day * DAY_RECORDS, DAY_RECORDS)}&token=${token}`,
    )
}

/** Nobody is measured who sends anything else: the same bytes, plain and out of gzip. */
async function requireSame(targets: readonly Target[], paths: readonly string[]): Promise<void> {
  for (const path of paths.slice(0, 5)) {
    const bodies = await Promise.all(
      targets.flatMap((target) => [
        fetchHttps({ ...target, path }).then(({ body }) => body),
        fetchHttps({ ...target, path, headers: { 'accept-encoding': 'gzip' } }).then(({ body }) =>
          gunzipSync(body),
        ),
      ]),
    )
    const first = bodies[0]!
    if (bodies.some((body) => !body.equals(first))) throw new Error(`answers differ at ${path}`)
    const { stations } = JSON.parse(first.toString()) as { stations: [{ data: unknown[] }] }
    if (stations[0].data.length !== DAY_RECORDS) throw new Error(`no whole day at ${path}`)
  }
}

async function fetchAll(target: Target, paths: readonly string[]): Promise<Map<string, Buffer>> {
  const answers = new Map<string, Buffer>()
  for (const path of paths) answers.set(path, (await fetchHttps({ ...target, path })).body)
  return answers
}

type Results = Awaited<ReturnType<typeof compare<'service' | 'bare' | 'express'>>>

function findings(plain: Results, gzip: Results, bytes: number): Finding[] {
  return [
    ...advantage('of the bare server', plain.service, plain.bare, { target: { atLeast: 0.2 } }),
    ...advantage('times Express', plain.service, plain.express, { target: { atLeast: 4 } }),
    ...advantage('gzip: of the bare server', gzip.service, gzip.bare, {
      target: { atLeast: 0.6 },
    }),
    ...advantage('gzip: times Express', gzip.service, gzip.express),
    { what: 'bytes of an answer', value: bytes, unit: 'bytes' },
    ...absolutes('Plumbline', plain.service),
    ...absolutes('bare server', plain.bare),
    ...absolutes('Express', plain.express),
    ...absolutes('Plumbline, gzip', gzip.service),
    ...absolutes('bare server, gzip', gzip.bare),
    ...absolutes('Express, gzip', gzip.express),
  ]
}
