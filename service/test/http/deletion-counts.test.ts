import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { zone as zoneOf } from '../../src/domain/time/local-time.ts'
import { readPlaces } from '../../src/storage/read-places.ts'
import { openCatalogue } from '../../src/storage/current-catalogue.ts'
import { BASE, CELL, derivedSite, POINT } from '../_derived-site.ts'
import { BY_HAND } from '../_sealed.ts'
import { withService, type TestService } from '../_service.ts'
import { EVER } from '../storage/_place.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 2, 5, 4)
const ZONE = zoneOf('Asia/Shanghai')
/** Of the first three days, which are sealed in part. */
const START = Date.UTC(2026, 2, 1, 16)

const SENSORS = [CELL, BASE, POINT]
/** Of one sensor, of several, of a group, of ready values, and of waveforms. */
const STATIONS = [11, 12, 13, 14, 15, 31, 32]
const READY = 15
const WAVES = 31
const MODES = 32

const SEVERAL = `from: { sensors: [${CELL}, ${BASE}], alignSeconds: 2, conversion: { kind: linear, k: 1, value: v, combine: sum } }`
/** The values of a station of several sensors above 150 are bad. */
const RANGE = `          - batchNo: 0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b12
            stations: [12]
            clearAfter: 1
            items: [{ item: strain, range: { high: 150, level: 2 } }]
`
const SITE = derivedSite(1)
  .replace('      - factor: 16\n', `${RANGE}$&`)
  .replace('name: SG-12 }', `name: SG-12, ${SEVERAL} }\n          - { id: 15, name: SG-15 }`)
  .replace(
    '\nstructures:\n  - id: 1\n',
    `
  - id: 33
    name: Acceleration
    items: [{ id: 331, key: peak, name: Peak, unit: g, precision: 0.001 }]
  - id: 35
    name: Modes
    items: [{ id: 351, key: f1, name: First, unit: Hz, precision: 0.001 }]
structures:
  - id: 1
`,
  )
  .replace(
    '    devices:\n',
    `      - factor: 33
        stations: [{ id: 31, name: A-31 }]
      - factor: 35
        stations: [{ id: 32, name: M-32, fromWaveform: { station: 31, peaks: [{ item: f1, low: 2, high: 4 }] } }]
    devices:
`,
  )

/** Few seconds about the ends of three days, so that raw records lie near each other. */
const instant = fc
  .tuple(fc.nat(2), fc.constantFrom(0, 86_390), fc.nat(9))
  .map(([day, hour, second]) => START + day * DAY + (hour + second) * 1000)

const BY_FACTOR = { 15: [11, 12, READY], 16: [13, 14], 33: [WAVES] }

const quality = fc.constantFrom('good', 'good', 'uncertain', 'bad')

const data = fc.record({
  raw: fc.array(fc.record({ sensor: fc.nat(2), time: instant, value: fc.nat(150), quality }), {
    minLength: 10,
    maxLength: 60,
  }),
  /** Records that do not follow from raw ones. */
  theme: fc.array(fc.record({ station: fc.constantFrom(...STATIONS), time: instant }), {
    maxLength: 25,
  }),
  /** Values without a record beside them. */
  bad: fc.array(fc.record({ station: fc.constantFrom(READY, 11, 12), time: instant }), {
    maxLength: 10,
  }),
  waves: fc.array(instant, { maxLength: 6 }),
  vehicles: fc.uniqueArray(instant, { maxLength: 6 }),
  /** Values that a person marks. */
  marked: fc.array(
    fc.record({
      station: fc.constantFrom(...BY_FACTOR[15], ...BY_FACTOR[16]),
      time: instant,
      quality: fc.constantFrom('bad', 'uncertain'),
    }),
    { maxLength: 20 },
  ),
  sealed: fc.array(fc.tuple(fc.nat(9), fc.nat(2)), { maxLength: 12 }),
})

const KINDS = ['theme', 'raw', 'vibration', 'traffic']
const choice = fc.oneof(
  ...[
    { of: { structure: 1 }, kinds: KINDS, stations: STATIONS },
    ...Object.entries(BY_FACTOR).map(([factor, stations]) => ({
      of: { structure: 1, factor: Number(factor) },
      kinds: KINDS.slice(0, 3),
      stations,
    })),
    ...[12, READY, WAVES, MODES].map((station) => ({
      of: { station },
      kinds: ['theme', 'vibration'],
      stations: [station],
    })),
    ...SENSORS.map((sensor) => ({ of: { sensor }, kinds: ['raw'], stations: [] as number[] })),
  ].map(({ of, kinds, stations }) =>
    fc.option(fc.subarray(kinds, { minLength: 1 }), { nil: undefined }).map((some) => ({
      body: { ...of, ...(some === undefined ? {} : { kinds: some }) },
      kinds: some ?? kinds,
      stations,
    })),
  ),
)

type Data = typeof data extends fc.Arbitrary<infer Value> ? Value : never

async function store(
  service: TestService,
  { raw, theme, bad, waves, vehicles, marked, sealed }: Data,
  token: string,
) {
  const { storage } = service
  const key = await service.createKey()
  const ingest = async (way: string, body: object) => {
    const response = await service.ingest(way, key, body)
    assert.equal(response.status, 200, response.text)
  }
  await ingest('raw', {
    records: raw.map(({ sensor, time, value, quality }) => ({
      sensor: SENSORS[sensor],
      time,
      values: { v: value },
      quality,
    })),
  })
  for (const time of waves)
    await ingest('vibration', {
      station: WAVES,
      collectTime: time,
      sampleFreq: 20,
      unit: 'cm/s2',
      samples: Array.from({ length: 64 }, (_, at) => Math.sin((2 * Math.PI * 3 * at) / 20)),
    })
  await storage.records.write({
    theme: {
      sources: theme.map(({ station }) => station),
      times: theme.map(({ time }) => time),
      records: theme.map(({ time }) => `{"strain":-7,"time":"${ZONE.toLocal(time)}"}`),
    },
  })
  await ingest('theme', {
    records: bad.map(({ station, time }) => {
      return { station, time, values: { strain: 1 }, quality: 'bad' }
    }),
  })
  const vehicle = { structure: 1, lane: '1', direction: 0, axleCount: 2, load: 1, license: 'A' }
  await ingest('traffic', { records: vehicles.map((time) => ({ ...vehicle, time })) })
  for (const { station, time, quality: mark } of marked) {
    const at = ZONE.toLocal(time)
    const body = { quality: mark, startTime: at, endTime: at }
    const response = await post(service, `/manage/v1/stations/${station}/quality`, token, body)
    assert.equal(response.status, 200, response.text)
  }
  const sources = await sourcesOf(service)
  for (const [at, day] of sealed) {
    const start = START + day * DAY
    await storage.sealedDays.seal({ ...sources[at]!, start, until: start + DAY, zone: ZONE })
  }
}

async function sourcesOf({ storage }: TestService) {
  const { sensors } = await openCatalogue(storage.site)()
  return [
    ...STATIONS.map((source) => ({ kind: 'theme', source }) as const),
    ...SENSORS.map((id) => ({ kind: 'raw', source: sensors.get(id)!.key }) as const),
  ]
}

/** Every record by its kind, source and instant. */
async function readAll(service: TestService) {
  const { storage } = service
  const texts = new Map<string, string>()
  for (const { kind, source } of await sourcesOf(service))
    for await (const places of readPlaces(storage.records, { kind, source, ...EVER }))
      for (const { time, record, marks } of places)
        texts.set(`${kind} ${source} ${time}`, `${record}\n${marks}`)
  return {
    texts,
    vibration: await storage.waveforms.count({ station: WAVES, ...EVER }),
    traffic: await storage.traffic.count({ structure: 1, ...EVER }),
  }
}

type Everything = Awaited<ReturnType<typeof readAll>>

/** The sensors from whose records of the same instant those of a station are made. */
const FEEDING: Readonly<Record<number, number[]>> = { 11: [0], 12: [0, 1], 13: [1], 14: [2] }

/** What a deletion should say, by what is there before and after. */
function compare(
  before: Everything,
  after: Everything,
  { keys, isOwn }: { keys: readonly number[]; isOwn(station: number, time: number): boolean },
) {
  const lost = Array.from(before.texts)
    .filter(([place, text]) => after.texts.get(place) !== text)
    .map(([place]) => place)
  const raw = new Set(lost.filter((place) => place.startsWith('raw')))
  const station = lost.filter((place) => place.startsWith('theme'))
  const derived = station.filter((place) => {
    const [, id, time] = place.split(' ').map(Number) as [number, number, number]
    const sensors = FEEDING[id] ?? []
    const isWithRaw = sensors.some((at) => raw.has(`raw ${keys[at]} ${time}`))
    return isWithRaw || (sensors.length > 0 && !isOwn(id, time))
  })
  return {
    theme: station.length - derived.length,
    derived: derived.length,
    raw: raw.size,
    vibration: before.vibration - after.vibration,
    traffic: before.traffic - after.traffic,
  }
}

const post = (service: TestService, url: string, token: string, body: object) =>
  service.call(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })

async function remove(service: TestService, token: string, body: object) {
  const response = await post(service, '/manage/v1/records/delete', token, body)
  assert.equal(response.status, 200, response.text)
  return response.json()
}

async function undo({ storage }: TestService, change: number): Promise<void> {
  for (let isDone = false; !isDone;)
    ({ isDone } = await storage.changes.undo(change, { limit: 1000, now: NOW }))
}

test('a dry run counts what the deletion then deletes, each record once', async () => {
  const window = fc.tuple(instant, instant).map((ends) => ends.toSorted((a, b) => a - b))
  const property = fc.asyncProperty(data, choice, window, async (given, target, ends) => {
    const [from, to] = ends as [number, number]
    await using service = await withService({ site: SITE, now: () => NOW, settings: BY_HAND })
    const token = await service.issueToken()
    await store(service, given, token)
    const before = await readAll(service)
    const keys = (await sourcesOf(service)).slice(STATIONS.length).map(({ source }) => source)
    const span = { startTime: ZONE.toLocal(from), endTime: ZONE.toLocal(to) }
    const body = { ...target.body, ...span }
    const isOwn = (station: number, time: number) =>
      target.kinds.includes('theme') &&
      target.stations.includes(station) &&
      time >= from &&
      time <= to

    const preview = await remove(service, token, { ...body, dryRun: true })
    const untouched = await readAll(service)
    const done = await remove(service, token, body)
    const after = await readAll(service)
    const again = await remove(service, token, { ...body, dryRun: true })
    await undo(service, done.change)
    const restored = await readAll(service)

    assert.deepEqual(untouched, before)
    assert.deepEqual({ ...preview, change: done.change }, done)
    assert.deepEqual(done.records, compare(before, after, { keys, isOwn }))
    assert.deepEqual(restored, before)
    assert.deepEqual(again.records, { theme: 0, raw: 0, vibration: 0, traffic: 0, derived: 0 })
  })

  await fc.assert(property, { numRuns: runs(25) })
})

test('an alarm of a record that stays is not counted as cleared', async () => {
  await using service = await withService({ site: SITE, now: () => NOW, settings: BY_HAND })
  const token = await service.issueToken()
  const key = await service.createKey()
  const raw = { sensor: CELL, time: NOW - 2000, values: { v: 5 } }
  await service.ingest('raw', key, { records: [raw] })
  const ready = { station: 11, time: NOW - 1000, values: { strain: 150 } }
  await service.ingest('theme', key, { records: [ready] })
  const body = { sensor: CELL, startTime: '2026-03-05 00:00:00', endTime: '2026-03-06 00:00:00' }

  const preview = await remove(service, token, { ...body, dryRun: true })
  const done = await remove(service, token, body)

  assert.deepEqual(preview.records, { theme: 0, raw: 1, vibration: 0, traffic: 0, derived: 1 })
  assert.deepEqual(
    preview.alarms.map(({ hasEnded }: any) => hasEnded),
    [false],
  )
  assert.deepEqual({ ...preview, change: done.change }, done)
})

test('an alarm before a place with only bad values is counted as cleared', async () => {
  await using service = await withService({ site: SITE, now: () => NOW, settings: BY_HAND })
  const token = await service.issueToken()
  const key = await service.createKey()
  const raw = { sensor: CELL, time: NOW - 2000, values: { v: 150 } }
  await service.ingest('raw', key, { records: [raw] })
  const bad = { station: 11, time: NOW - 1000, values: { strain: 1 }, quality: 'bad' }
  await service.ingest('theme', key, { records: [bad] })
  const span = { startTime: '2026-03-05 00:00:00', endTime: '2026-03-06 00:00:00' }
  const body = { structure: 1, factor: 15, kinds: ['raw'], ...span }

  const preview = await remove(service, token, { ...body, dryRun: true })
  const done = await remove(service, token, body)

  assert.deepEqual(
    done.alarms.map(({ hasEnded }: any) => hasEnded),
    [true],
  )
  assert.deepEqual({ ...preview, change: done.change }, done)
})
