import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { zone } from '../../src/domain/time/local-time.ts'
import { readPage } from '../_browser.ts'
import { needCommand } from '../_debian.ts'
import { BY_HAND, inDatabase, keptBytes } from '../_sealed.ts'
import { withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

const run = promisify(execFile)

const MINUTE = 60_000
const DAY = 1440 * MINUTE
const BERLIN = zone('Europe/Berlin')

/** Midnight in Berlin; days 0 to 3 and 5 are sealed, day 4 and the last one are open. */
const START = BERLIN.toInstant('2026-03-02 00:00:00')!
const DAYS = 7

const levelAt = (time: number): number => Number((4 + Math.sin(time / 9e6)).toFixed(3))

const SENT = Array.from({ length: DAYS * 288 }, (_, at) => {
  const time = START + at * 5 * MINUTE
  return { station: 2001, time, values: { waterLevel: levelAt(time) } }
})

let service: TestService
let token: string
let key: string

before(async () => {
  service = await withService({ site: SITE, settings: BY_HAND })
  token = await service.issueToken()
  key = await service.createKey()
  await service.ingest('theme', key, { records: SENT })
  for (const day of [0, 1, 2, 3, 5]) await seal(START + day * DAY, START + (day + 1) * DAY)
})

after(() => service[Symbol.asyncDispose]())

const seal = (start: number, until: number) =>
  service.storage.sealedDays.seal({ kind: 'theme', source: 2001, start, until, zone: BERLIN })

const WINDOW = 'startTime=2026-03-02+00:00:00&endTime=2026-03-08+23:59:59'
const PATH = `/stations/theme/data?stations=2001&${WINDOW}`

const urlOf = (path: string) =>
  `${service.service.origin}/api/v1${path}${path.includes('?') ? '&' : '?'}token=${token}`

const plainOf = async (path: string) =>
  (await service.get(path, token, { 'accept-encoding': 'identity' })).bytes

/** The values of the buckets that have one. */
const numbers = (list: (number | null)[]) => list.filter((value) => value !== null)

const openRecords = (): number =>
  inDatabase(service.folder, (one) =>
    one.prepare('select count(*) from theme_records').pluck().get(),
  ) as number

/** Answers that hold sealed days whole, in part and beside open ones. */
const PATHS = [
  PATH,
  '/stations/theme/data?stations=2001&startTime=2026-03-02+00:00:00&endTime=2026-03-05+23:59:59',
  '/stations/theme/data?stations=2001&startTime=2026-03-03+11:02:00&endTime=2026-03-07+13:00:00',
  '/stations/theme/data?stations=2001,2002,1001&startTime=2026-03-05+00:00:00&endTime=2026-03-05+23:59:59',
  '/stations/theme/data?stations=2001&limit=1000',
]

describe('a response of sealed and open days under gzip', () => {
  test('holds the stored bytes of the days, and is read by zlib', async () => {
    for (const path of PATHS) {
      const response = await service.get(path, token, { 'accept-encoding': 'gzip' })

      assert.equal(response.status, 200, response.text)
      assert.equal(response.headers['content-encoding'], 'gzip')
      assert.ok(gunzipSync(response.bytes).equals(await plainOf(path)), path)
    }
    const kept = keptBytes(service.folder)
    const { bytes } = await service.get(PATH, token, { 'accept-encoding': 'gzip' })
    assert.equal(kept.length, 5)
    for (const deflated of kept) assert.ok(bytes.includes(deflated))
  })

  test('is read by curl', async () => {
    await needCommand('curl', 'curl')
    for (const path of PATHS) {
      const flags = ['-sS', '--fail', '--compressed', '--cacert', service.service.certificateFile]
      const { stdout } = await run('curl', [...flags, urlOf(path)], { encoding: 'buffer' })

      assert.ok(stdout.equals(await plainOf(path)), path)
    }
  })

  test('is read by a browser', async () => {
    const document = await readPage(urlOf(PATH))

    const [, text] = /<pre[^>]*>([^<]*)<\/pre>/.exec(document)!
    assert.ok(text === (await plainOf(PATH)).toString(), document.slice(0, 500))
  })
})

describe('a correction of a sealed day', () => {
  test('that changes nothing is accepted, counts as replaced and leaves the day sealed', async () => {
    const open = openRecords()
    const expected = await plainOf(PATH)

    const response = await service.ingest('theme', key, { records: SENT.slice(0, 600) })

    assert.deepEqual(response.json(), { accepted: 600, replaced: 600, rejected: [] })
    assert.equal(openRecords(), open)
    assert.ok((await plainOf(PATH)).equals(expected))
  })

  test('is seen at once in data of both shapes, in the newest ones and in series', async () => {
    const time = START + DAY + 720 * MINUTE
    const response = await service.ingest('theme', key, {
      records: [
        { station: 2001, time, values: { waterLevel: 99.5 } },
        { station: 2001, time: time + MINUTE, values: { waterLevel: -99.5 } },
      ],
    })
    const window = 'startTime=2026-03-03+12:00:00&endTime=2026-03-03+12:05:00'
    const expected = [
      { waterLevel: 99.5, time: '2026-03-03 12:00:00' },
      { waterLevel: -99.5, time: '2026-03-03 12:01:00' },
      { waterLevel: levelAt(time + 5 * MINUTE), time: '2026-03-03 12:05:00' },
    ]

    assert.deepEqual(response.json(), { accepted: 2, replaced: 1, rejected: [] })
    const theme = async (query: string, coding = 'identity') =>
      (
        await service.get(`/stations/theme/data?stations=2001&${query}`, token, {
          'accept-encoding': coding,
        })
      ).json().stations[0].data
    for (const coding of ['identity', 'gzip']) {
      assert.deepEqual(await theme(window, coding), expected)
      assert.deepEqual(await theme(`${window}&limit=2`, coding), expected.slice(1).toReversed())
      assert.equal((await theme(WINDOW, coding)).length, SENT.length + 1)
    }
    const nested = await service.post(`/structures/2/factors/17/stations/data?${window}`, token, {
      stations: [2001],
    })
    assert.deepEqual(
      nested.json().theme.stations[0].data,
      expected.map(({ time, ...values }) => ({ values, time })),
    )
    for (const points of [3, 200, 2000]) {
      const series = await service.call(
        `/manage/v1/series?stations=2001&points=${points}&${WINDOW}&token=${token}`,
      )
      const { minimum, maximum, count } = series.json().stations[0].items.waterLevel
      assert.equal(Math.max(...numbers(maximum)), 99.5, String(points))
      assert.equal(Math.min(...numbers(minimum)), -99.5, String(points))
      assert.equal(
        count.reduce((a: number, b: number) => a + b),
        SENT.length + 1,
      )
    }
  })

  test('sent twice counts as replaced the second time, and as new after neither', async () => {
    const records = [{ station: 2001, time: START + 7 * MINUTE, values: { waterLevel: 1 } }]

    const first = await service.ingest('theme', key, { records })
    const second = await service.ingest('theme', key, { records })
    await seal(START, START + DAY)
    const third = await service.ingest('theme', key, { records })

    assert.deepEqual(
      [first, second, third].map((response) => response.json().replaced),
      [0, 1, 1],
    )
  })
})
