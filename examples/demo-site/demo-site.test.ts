import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { parse } from 'yaml'
import peaks from './capistrano-peaks.json' with { type: 'json' }
import type { ThemeRecord, TrafficRecord, VibrationBatch } from './sources/records.ts'

const folder = new URL('data/', import.meta.url)
const site = readSite()
const theme = [
  ...read<ThemeRecord>('munich-test-bridge.theme'),
  ...read<ThemeRecord>('mukilteo-slope.theme'),
]
const acceleration = read<VibrationBatch>('munich-test-bridge.vibration')
const strongMotion = read<VibrationBatch>('capistrano-bridge.vibration')
const traffic = read<TrafficRecord>('generated-traffic.traffic')
const LOCAL_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

test('no id is given twice', () => {
  for (const ids of [site.stations.map(({ id }) => id), site.groups, site.items, site.factorIds]) {
    assert.equal(new Set(ids).size, ids.length)
  }
})

test('the data stays small: below 2 MB packed', () => {
  const files = readdirSync(folder)
  const total = files.reduce((sum, file) => sum + statSync(new URL(file, folder)).size, 0)

  assert.equal(files.length, 5)
  assert.ok(total < 2_000_000, `${total} bytes`)
})

test('a packed file carries neither a name nor a time nor a system', () => {
  for (const file of readdirSync(folder)) {
    const header = readFileSync(new URL(file, folder)).subarray(0, 10)

    assert.deepEqual([...header.subarray(3, 8), header[9]], [0, 0, 0, 0, 0, 255])
  }
})

test('theme records belong to a station, carry items of its factor and finite numbers', () => {
  const keys = new Map(site.stations.map(({ id, keys }) => [id, keys]))

  for (const { station, values } of theme) {
    const known = keys.get(station)
    assert.ok(known, `station ${station}`)
    assert.deepEqual(Object.keys(values), known)
    assert.ok(Object.values(values).every(Number.isFinite), `station ${station}`)
  }
})

test('times are local, past, and ascending at each source', () => {
  const now = new Date().toISOString().slice(0, 10)
  const sources = [
    ...theme.map(({ station, time }) => ({ source: station, time })),
    ...[...acceleration, ...strongMotion].map(({ station, collectTime }) => ({
      source: station,
      time: collectTime,
    })),
  ]

  const newest = new Map<number, string>()
  for (const { source, time } of sources) {
    assert.match(time, LOCAL_TIME)
    assert.ok(time > (newest.get(source) ?? '') && time < now, `${source} at ${time}`)
    newest.set(source, time)
  }
})

test('every station has data', () => {
  const seen = new Set([...theme, ...acceleration, ...strongMotion].map(({ station }) => station))

  assert.deepEqual(
    site.stations.map(({ id }) => id).filter((id) => !seen.has(id)),
    [],
  )
})

test('Munich: one-second means lie within the raw range and keep its mean', () => {
  const raw = [
    { station: 1001, low: -481.28, high: -469.97, mean: -477.46 },
    { station: 1002, low: 233.78, high: 246.08, mean: 238.59 },
    { station: 1004, low: -0.2868, high: 0.2985, mean: undefined },
  ]

  for (const { station, low, high, mean } of raw) {
    const values = valuesOf(station, '2022-04-11')
    assert.equal(values.length, 721)
    assert.ok(Math.min(...values) >= low && Math.max(...values) <= high, `station ${station}`)
    if (mean !== undefined) assert.equal(loadTestMean(values).toFixed(2), mean.toFixed(2))
  }
})

test('Munich: all 72,000 accelerations are there, the largest 0.0064031 g', () => {
  const samples = acceleration.flatMap((batch) => batch.samples)
  const largest = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0)

  assert.equal(samples.length, 72_000)
  assert.equal(largest.toFixed(7), '0.0064031')
  assert.ok(acceleration.every(({ unit, sampleFreq }) => unit === 'g' && sampleFreq === 100))
})

test('Mukilteo: the rainfall threshold follows from the two sums and is passed in 2015', () => {
  const records = theme.filter(({ station }) => station === 2102)

  for (const { values } of records) {
    const { p3 = NaN, p15 = NaN, exceedance = NaN } = values
    assert.ok(Math.abs(exceedance - (p3 - (3.5 - 0.67 * p15))) < 1e-4)
  }
  const passed = records.find(({ values }) => (values.exceedance ?? 0) > 0)
  assert.equal(passed?.time, '2015-11-14 20:00:00')
  assert.deepEqual(records.find(({ time }) => time === '2015-12-20 08:30:00')?.values, {
    p3: 1.04,
    p15: 5.44,
    exceedance: 1.1848,
  })
})

test('Mukilteo: three loggers report every 15 minutes for 14 days', () => {
  for (const station of [2161, 2261, 2361]) {
    const records = theme.filter((record) => record.station === station)

    assert.equal(records.length, 1_344)
    assert.equal(records[0]?.time, '2015-12-18 00:00:00')
    assert.equal(records.at(-1)?.time, '2015-12-31 23:45:00')
  }
})

test('Capistrano: each of the 12 channels has the peak of its header at its point', () => {
  assert.equal(strongMotion.length, 12)
  for (const { channel, peak, index } of peaks) {
    const batch = strongMotion.find(({ station }) => station === 3000 + channel)
    const samples = batch?.samples ?? []
    const largest = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0)

    assert.equal(samples.length, 12_800)
    assert.equal(batch?.collectTime, '2009-05-17 20:39:38')
    assert.deepEqual([batch?.unit, batch?.sampleFreq], ['cm/s2', 200])
    assert.ok(Math.abs((samples[index - 1] ?? NaN) - peak) < 0.0006, `channel ${channel}`)
    assert.equal(Math.abs(samples[index - 1] ?? NaN), largest)
  }
})

test('traffic records add up and their plates say that they are generated', () => {
  assert.equal(new Set(traffic.map(({ id }) => id)).size, traffic.length)
  for (const record of traffic) {
    const sum = record.axleLoads.reduce((total, axleLoad) => total + axleLoad, 0)
    assert.equal(record.structure, 103)
    assert.match(record.license, /^(DEMO-\d{4})?$/)
    assert.match(record.time, LOCAL_TIME)
    assert.ok(Math.abs(sum - record.load) < 0.05, record.id)
    assert.equal(record.axleCount, record.axleLoads.length)
    assert.equal(record.axleSpacings.length, record.axleCount - 1)
    assert.equal(record.overload, record.load > record.limit)
  }
})

function read<Line>(name: string): Line[] {
  const text = gunzipSync(readFileSync(new URL(`${name}.ndjson.gz`, folder))).toString()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}

function valuesOf(station: number, day: string): number[] {
  return theme
    .filter((record) => record.station === station && record.time.startsWith(day))
    .flatMap(({ values }) => Object.values(values))
}

/** The load test starts and ends within a second, with 11 and 89 of its samples. */
function loadTestMean(means: readonly number[]): number {
  const last = means.length - 1
  const weights = means.map((_, index) => (index === 0 ? 11 : index === last ? 89 : 100))
  return means.reduce((sum, mean, index) => sum + mean * (weights[index] ?? 0), 0) / 72_000
}

type SiteFactor = { id: number; items: { id: number; key: string }[] }
type SiteStation = { id: number }
type SiteGroup = { id: number; stations: SiteStation[] }
type StructureFactor = { factor: number; groups?: SiteGroup[]; stations?: SiteStation[] }
type SiteFile = { factors: SiteFactor[]; structures: { id: number; factors: StructureFactor[] }[] }

function readSite() {
  const text = readFileSync(new URL('site.yaml', import.meta.url), 'utf8')
  const { factors, structures } = parse(text) as SiteFile
  const keys = new Map(factors.map(({ id, items }) => [id, items.map(({ key }) => key)]))
  const configured = structures.flatMap((structure) => structure.factors)
  return {
    factorIds: factors.map(({ id }) => id),
    items: factors.flatMap(({ items }) => items.map(({ id }) => id)),
    groups: configured.flatMap(({ groups = [] }) => groups.map(({ id }) => id)),
    stations: configured.flatMap(({ factor, groups = [], stations = [] }) =>
      [...stations, ...groups.flatMap((group) => group.stations)].map(({ id }) => ({
        id,
        keys: keys.get(factor) ?? [],
      })),
    ),
  }
}
