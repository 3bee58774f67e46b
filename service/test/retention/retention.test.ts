import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { pino } from 'pino'
import { countExpired, expireRecords } from '../../src/retention/expire-records.ts'
import { RetentionJob } from '../../src/retention/retention-job.ts'
import { sealAsLeader } from '../../src/sealing/seal-as-leader.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import { withService, type TestService } from '../_service.ts'
import { IDS, SITE } from '../_site.ts'

const BRIDGE = '    portrait: bridge.jpg\n'
const TERMS = '    retention: { theme: 1mo, raw: 2w, vibration: 1w, traffic: 3d }\n'
const KEPT = SITE.replace(BRIDGE, BRIDGE + TERMS)

const shanghai = (time: string): number => Date.parse(`${time.replace(' ', 'T')}+08:00`)

/** A service at a moment that a test can move; its days expire and are sealed by `work`. */
async function atMoment(time: string, maxShareOfDay = 1) {
  const clock = { now: shanghai(time) }
  const service = await withService({
    site: KEPT,
    settings: { 'seal.everyMinutes': 0, 'retention.everyMinutes': 0 },
    now: () => clock.now,
  })
  const token = await service.issueToken()
  const key = await service.createKey()
  const logged: string[] = []
  const work = async (now: string): Promise<any[]> => {
    clock.now = shanghai(now)
    logged.length = 0
    const common = {
      storage: service.storage,
      catalogue: openCatalogue(service.storage.site),
      log: pino({}, { write: (line) => void logged.push(line) }),
      share: 1,
      now: () => clock.now,
    }
    const { signal } = new AbortController()
    const trustedNow = common.now
    await new RetentionJob({ ...common, maxShareOfDay, trustedNow }).run(signal)
    await sealAsLeader({ ...common, afterDays: 2 }, signal)
    return logged.map((line) => JSON.parse(line) as unknown)
  }
  return { service, token, key, work }
}

async function send(service: TestService, key: string, way: string, records: object[]) {
  const response = await service.ingest(way, key, { records })
  assert.equal(response.json().accepted, records.length, response.text)
}

/** The times of the records that a path of the interface returns. */
async function timesOf(service: TestService, token: string, path: string): Promise<string[]> {
  const { text } = await service.get(path, token)
  return Array.from(text.matchAll(/"time":"(2[^"]+)"/g), ([, time]) => time!)
}

function pagesOf({ folder }: TestService): { all: number; free: number } {
  const database = new Sqlite(join(folder, 'plumbline.db'), { readonly: true })
  const count = (name: string) => Number(database.pragma(name, { simple: true }))
  const pages = { all: count('page_count'), free: count('freelist_count') }
  database.close()
  return pages
}

test('records of past days are deleted by the retention periods of their structure, sealed ones too', async () => {
  const { service, token, key, work } = await atMoment('2026-03-31 12:00:00')
  await using _ = service
  const times = [
    '2026-02-27 00:00:00',
    '2026-02-27 23:59:59',
    '2026-02-28 00:00:00',
    '2026-03-16 23:59:59',
    '2026-03-17 00:00:00',
    '2026-03-23 23:59:59',
    '2026-03-24 00:00:00',
    '2026-03-27 23:59:59',
    '2026-03-28 00:00:00',
    '2026-03-31 11:00:00',
  ]
  const sent = (make: (time: string) => object) => times.map(make)
  const values = { temperature: 1 }
  await send(
    service,
    key,
    'theme',
    sent((time) => ({ station: 1041, time, values })),
  )
  await send(
    service,
    key,
    'theme',
    sent((time) => ({ station: 2001, time, values: { waterLevel: 1 } })),
  )
  await send(
    service,
    key,
    'raw',
    sent((time) => ({ sensor: IDS.gauge, time, values: { reading: 1 } })),
  )
  for (const structure of [1, 2])
    await send(
      service,
      key,
      'traffic',
      sent((time) => ({
        structure,
        time,
        license: 'A',
        lane: '1',
        direction: 0,
        axleCount: 2,
        load: 1,
      })),
    )
  for (const collectTime of times)
    await service.ingest('vibration', key, {
      station: 1031,
      collectTime,
      sampleFreq: 100,
      unit: 'cm/s2',
      samples: [1, 2],
    })

  // At first nothing is old enough; the days up to then are sealed.
  const early = await work('2026-03-02 12:00:00')
  const lines = await work('2026-03-31 12:00:00')
  const again = await work('2026-03-31 12:10:00')

  const all = 'startTime=2026-01-01+00:00:00&endTime=2026-12-31+00:00:00'
  const theme = (station: number) =>
    timesOf(service, token, `/stations/theme/data?stations=${station}&${all}`)
  assert.deepEqual(await theme(1041), times.slice(2))
  assert.equal((await theme(1004)).length, 8)
  assert.equal((await theme(2001)).length, 10)
  const { raw: behind } = (
    await service.post(`/structures/1/factors/15/stations/data?${all}`, token, { stations: [1004] })
  ).json()
  assert.deepEqual(
    behind.sensors[0].data.map(({ time }: { time: string }) => time),
    times.slice(4),
  )
  const flow = (structure: number) =>
    timesOf(service, token, `/structures/${structure}/traffic-flow?${all}`)
  assert.deepEqual(await flow(1), times.slice(8))
  assert.equal((await flow(2)).length, 10)
  const waves = times.map((time) =>
    service.get(`/stations/1031/vibration/raw?collectTime=${time.replace(' ', '+')}`, token),
  )
  assert.deepEqual(
    (await Promise.all(waves)).map(({ status }) => status),
    [404, 404, 404, 404, 404, 404, 200, 200, 200, 200],
  )

  assert.deepEqual(
    early.map(({ msg }) => msg),
    ['past days were sealed'],
  )
  const { structure, theme: ofTheme, raw, vibration, traffic, msg } = lines[0]
  assert.deepEqual(
    { structure, ofTheme, raw, vibration, traffic, msg },
    {
      structure: 1,
      // Of stations 1041, 1004, which comes from raw values, and 1031, which has waveforms.
      ofTheme: 6,
      raw: 4,
      vibration: 6,
      traffic: 8,
      msg: 'expired records were deleted',
    },
  )
  assert.deepEqual(again, [])
})

test('a record beyond its retention period is accepted, and deleted with its space at the next run', async () => {
  const { service, token, key, work } = await atMoment('2026-03-31 12:00:00')
  await using _ = service
  const time = '2024-01-01 00:00:00'
  const today = { time: '2026-03-31 11:00:00', values: { strain: 1 } }
  await send(service, key, 'theme', [{ station: 1002, ...today }])
  await send(service, key, 'theme', [{ station: 1041, time, values: { temperature: 1 } }])
  const newest = '/stations/theme/data?stations=1041&limit=1'

  const wave = { station: 1031, collectTime: time, sampleFreq: 100, unit: 'cm/s2' }
  const samples = Array.from({ length: 50_000 }, (_, at) => at / 3)
  assert.equal((await service.ingest('vibration', key, { ...wave, samples })).status, 200)

  assert.deepEqual(await timesOf(service, token, newest), [time])
  const pages = pagesOf(service)
  await work('2026-03-31 12:00:00')

  assert.deepEqual(await timesOf(service, token, newest), [])
  assert.equal(pagesOf(service).free, 0)
  assert.ok(pagesOf(service).all < pages.all - 40)
})

test('a dry run counts what would be deleted, also of one structure', async () => {
  const { service, key } = await atMoment('2026-03-31 12:00:00')
  await using _ = service
  const { storage } = service
  const record = { time: '2024-01-01 00:00:00', values: { reading: 1 } }
  await send(service, key, 'raw', [{ sensor: IDS.gauge, ...record }])
  const options = {
    storage,
    catalogue: await openCatalogue(storage.site)(),
    now: shanghai('2026-03-31 12:00:00'),
  }
  const expected = [{ structure: 1, theme: 1, raw: 1, vibration: 0, traffic: 0 }]

  assert.deepEqual(await countExpired(options), expected)
  assert.deepEqual(await countExpired({ ...options, structure: 2 }), [])
  assert.deepEqual(await expireRecords({ ...options, structure: 2 }), [])
  assert.deepEqual(await expireRecords(options), expected)
  assert.deepEqual(await countExpired(options), [])
})
