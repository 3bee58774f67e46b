import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import { registerRowCheck } from '../src/storage/sqlite/integrity/row-check.ts'
import { IDS, ODD_KEYS, SITE } from './_site.ts'
import {
  callHttps,
  withService,
  type HttpResponse,
  type Call,
  type TestService,
} from './_service.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Services that seal only on demand. */
export const BY_HAND = { 'seal.everyMinutes': 0 } as const

/** On these days Berlin has 23 and 25 hours. */
const SHORT_DAY = Date.UTC(2025, 2, 29, 23)
const LONG_DAY = Date.UTC(2025, 9, 25, 22)

type Values = Readonly<Record<string, number>>
export type SentRecord = { station: number; time: number; values: Values }
export type SentRaw = { sensor: string; time: number; values: Values }

const every = <Sent>(step: number, from: number, until: number, make: (time: number) => Sent) =>
  Array.from({ length: (until - from) / step }, (_, at) => make(from + at * step))

const wave = (time: number, digits: number): number =>
  Number((Math.sin(time / 7e6) * 100).toFixed(digits))

/** A record of every odd key, or of some of them. */
const odd = (time: number): Values =>
  Object.fromEntries(
    ODD_KEYS.flatMap((key, at) =>
      (time / HOUR) % (at + 1) === 0 ? [[key, at + time / 1e13]] : [],
    ),
  )

const strain = (station: number) => (time: number) => ({
  station,
  time,
  values: { strain: wave(time, 17), ...(time % HOUR === 0 ? { temperature: wave(time, 1) } : {}) },
})

/** Some days of every kind, in two time zones, around both changes of the clocks. */
export const THEME: readonly SentRecord[] = [SHORT_DAY, LONG_DAY].flatMap((start) => [
  ...every<SentRecord>(10 * MINUTE, start - 24 * HOUR, start + 50 * HOUR, strain(1001)),
  // A day of more records than are sealed as one.
  ...every<SentRecord>(15_000, start, start + 26 * HOUR, strain(1002)),
  ...every<SentRecord>(10 * MINUTE + 500, start - 24 * HOUR, start + 50 * HOUR, (time) => ({
    station: 2001,
    time,
    values: { waterLevel: wave(time, 3) },
  })),
  ...every<SentRecord>(HOUR, start - 3 * HOUR, start + 27 * HOUR, (time) => ({
    station: 2002,
    time,
    values: odd(time),
  })),
])

export const RAW: readonly SentRaw[] = [SHORT_DAY, LONG_DAY].flatMap((start) => [
  ...every<SentRaw>(HOUR / 2, start - 12 * HOUR, start + 36 * HOUR, (time) => ({
    sensor: IDS.wire,
    time,
    values: { frequency: 1600 + wave(time, 2), temperature: 20 },
  })),
  ...every<SentRaw>(HOUR / 2, start - 12 * HOUR, start + 36 * HOUR, (time) => ({
    sensor: IDS.riverGauge,
    time,
    values: Object.fromEntries([['__proto__', wave(time, 5)]]),
  })),
])

/** Sends records in by HTTP; keys such as `__proto__` stay keys. */
export async function send(
  service: TestService,
  key: string,
  way: 'theme' | 'raw',
  records: readonly (SentRecord | SentRaw)[],
): Promise<{ accepted: number; replaced: number }> {
  const response = await service.ingest(way, key, { records })
  return response.json()
}

const WINDOWS = [
  ['2025-01-01 00:00:00', '2025-12-31 23:59:59'],
  ['2025-03-30 00:00:00', '2025-03-30 23:59:59'],
  ['2025-03-30 01:30:00', '2025-03-30 03:30:00'],
  ['2025-03-29 23:59:59', '2025-03-31 00:00:00'],
  ['2025-10-26 00:00:00', '2025-10-26 23:59:59'],
  ['2025-10-26 02:00:00', '2025-10-26 02:59:59'],
  ['2025-10-25 23:59:59', '2025-10-27 00:00:00'],
  ['2025-10-26 07:10:00', '2025-10-26 07:10:00'],
  ['2025-10-26 07:10:01', '2025-10-26 07:19:59'],
] as const

const LIMITS = [
  'limit=1',
  'limit=2',
  'limit=1999',
  'limit=10000',
  'limit=1&endTime=2025-10-26+02:30:00',
  'limit=7&endTime=2025-03-30+23:59:59',
  'limit=5000&startTime=2025-03-30+12:00:00&endTime=2025-10-26+12:00:00',
  'limit=4001&startTime=2025-10-25+12:00:00',
]

const windowText = ([start, end]: readonly [string, string]): string =>
  `startTime=${start}&endTime=${end}`.replaceAll(' ', '+')

type Ask = { path: string; body?: string }

const post = (path: string, stations: number[]): Ask => ({
  path,
  body: JSON.stringify({ stations }),
})

/** Questions of both shapes over all stations, with windows that cut days. */
const THEME_REQUESTS: readonly Ask[] = [...WINDOWS.map(windowText), ...LIMITS].map((query) => ({
  path: `/api/v1/stations/theme/data?stations=1001,1002,1003,2001,2002,2003&${query}`,
}))
const NESTED_REQUESTS: readonly Ask[] = WINDOWS.map(windowText).flatMap((query) => [
  post(`/api/v1/structures/1/factors/15/stations/data?${query}`, [1001, 1002, 1003]),
  post(`/api/v1/structures/2/factors/17/stations/data?${query}`, [2001]),
  post(`/api/v1/structures/2/factors/18/stations/data?${query}`, [2002, 2003]),
])
const SERIES_WINDOWS = [
  ...WINDOWS,
  ['2025-03-30T00:59:59.750Z', '2025-10-26T05:10:00.499Z'],
  ['2025-10-25T22:10:00.500Z', '2025-10-26T22:59:59.001Z'],
] as const

const SERIES_REQUESTS: readonly Ask[] = SERIES_WINDOWS.map(windowText).flatMap((query) =>
  [3, 200].map((points) => ({
    path: `/manage/v1/series?stations=1001,2001&points=${points}&${query}`,
  })),
)

/** The responses of all requests, with and without gzip, by path and coding. */
export async function readEverything(
  service: TestService,
  token: string,
  kinds: { series?: boolean } = {},
): Promise<Map<string, HttpResponse | Error>> {
  using agent = new KeptAgent()
  const responses = new Map<string, HttpResponse | Error>()
  const requests = [
    ...THEME_REQUESTS,
    ...NESTED_REQUESTS,
    ...(kinds.series === false ? [] : SERIES_REQUESTS),
  ]
  for (const request of requests)
    for (const coding of ['identity', 'gzip'])
      responses.set(
        `${coding} ${request.path}`,
        await readOne(service, token, request, coding, agent).catch((error: Error) => error),
      )
  return responses
}

async function readOne(
  { service, certificate }: TestService,
  token: string,
  { path, body }: Ask,
  coding: string,
  agent: Agent,
): Promise<HttpResponse> {
  const call: Call = {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'accept-encoding': coding,
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
    agent,
  }
  return callHttps(`${service.origin}${path}&token=${token}`, certificate, call)
}

class KeptAgent extends Agent implements Disposable {
  constructor() {
    super({ keepAlive: true, maxSockets: 1 })
  }

  [Symbol.dispose](): void {
    this.destroy()
  }
}

/** Looks at the database of a data folder, or changes it as no program of ours would. */
export function inDatabase<Result>(
  folder: string,
  look: (database: Sqlite.Database) => Result,
): Result {
  const database = new Sqlite(join(folder, 'plumbline.db'), { timeout: 10_000 })
  registerRowCheck(database)
  try {
    return look(database)
  } finally {
    database.close()
  }
}

/** A service over the folder of a workplace, with everything sent in. */
export class SealSite implements AsyncDisposable {
  readonly service: TestService
  readonly token: string
  readonly key: string

  constructor(service: TestService, token: string, key: string) {
    this.service = service
    this.token = token
    this.key = key
  }

  static async open(folder?: string): Promise<SealSite> {
    const service = await withService({
      site: SITE,
      settings: BY_HAND,
      ...(folder === undefined ? {} : { folder }),
    })
    const site = new SealSite(service, await service.issueToken(), await service.createKey())
    assert.deepEqual(await send(service, site.key, 'raw', RAW), accepted(RAW.length))
    // A derived record stands where a sensor sent one.
    assert.deepEqual(await send(service, site.key, 'theme', THEME), accepted(THEME.length))
    return site
  }

  async responses(): Promise<Map<string, string>> {
    const texts = new Map<string, string>()
    for (const [request, response] of await readEverything(this.service, this.token)) {
      if (response instanceof Error) throw response
      assert.equal(response.status, 200, `${request}: ${response.text}`)
      const coding = request.startsWith('gzip') ? 'gzip' : undefined
      assert.equal(response.headers['content-encoding'], coding, request)
      texts.set(request, response.text)
    }
    return texts
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
  }
}

export const accepted = (count: number, replaced = 0) => ({
  accepted: count,
  replaced,
  rejected: [],
})

/** Byte for byte the same, said by the first that is not. */
export function assertSame(
  found: Map<string, string>,
  expected: Map<string, string>,
  when: string,
): void {
  assert.equal(found.size, expected.size)
  for (const [request, text] of expected)
    if (found.get(request) !== text) assert.equal(found.get(request), text, `${when}: ${request}`)
}

/** Changes one bit of what is kept; the function that it returns changes it back. */
export function flip(folder: string, table: string, column: string, where: string): () => void {
  return inDatabase(folder, (database) => {
    const found = `select id from ${table} where ${where} limit 1`
    const id = database.prepare(found).pluck().get() as number
    // The compressed bytes lie in chunks, in a table of their own.
    const place =
      column === 'deflated'
        ? {
            table: table.replace('parts', 'chunks'),
            column: 'bytes',
            where: 'part_id = ? and chunk = 0',
          }
        : { table, column, where: 'id = ?' }
    const select = `select ${place.column} from ${place.table} where ${place.where}`
    const kept = database.prepare(select).pluck().get(id) as Uint8Array | string | number
    const update = `update ${place.table} set ${place.column} = ? where ${place.where}`
    const put = (value: unknown) => inDatabase(folder, (one) => one.prepare(update).run(value, id))
    put(withBitChanged(kept))
    return () => put(kept)
  })
}

/** The compressed bytes of every sealed day of theme records. */
export const keptBytes = (folder: string): Buffer[] =>
  inDatabase(folder, (one) =>
    one
      .prepare('select part_id, bytes from theme_sealed_chunks order by part_id, chunk')
      .raw()
      .all()
      .reduce<Map<number, Buffer>>((parts, row) => {
        const [part, bytes] = row as [number, Buffer]
        return parts.set(part, Buffer.concat([parts.get(part) ?? Buffer.alloc(0), bytes]))
      }, new Map())
      .values()
      .toArray(),
  )

export function withBitChanged(kept: Uint8Array | string | number): Uint8Array | string | number {
  // Of an instant the bit that moves it by a few hours.
  if (typeof kept === 'number') return Number(BigInt(kept) ^ (kept > 1e11 ? 1n << 23n : 1n))
  const bytes = Buffer.from(kept)
  const at = bytes.length >> 1
  bytes[at]! ^= 1
  return typeof kept === 'string' ? bytes.toString() : bytes
}
