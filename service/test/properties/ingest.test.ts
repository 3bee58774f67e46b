import assert from 'node:assert/strict'
import test, { after, before, describe } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { IngestReport } from '@plumbline/contract'
import { runs } from '../_random.ts'
import { IDS } from '../_site.ts'
import { garbageText } from './_values.ts'
import { PLATE, withFuzzed, type Fuzzed } from './_service.ts'

const RUNS = runs(300)
const MINUTE = 60_000

/** Doubles a record may hold: an integer that is not safe is refused. */
const value = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((number) => !Number.isInteger(number) || Number.isSafeInteger(number))
  // JSON has no -0 that JSON.stringify would write.
  .map((number) => number + 0)

/** One record of a batch as text: JSON text, since garbage may be more than JSON.stringify writes. */
type Part = { text: string; isGood: boolean }

const raw = (...texts: string[]) => fc.constantFrom(...texts)

/** What is no record, or only nearly one. `near` is one that would be good. */
const garbage = (near: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<string> =>
  fc.oneof(
    fc.jsonValue().map((one) => JSON.stringify(one)),
    raw(
      'null',
      '[]',
      '{}',
      '1e999',
      '-0',
      '""',
      '{"__proto__":{}}',
      '{"values":{"__proto__":1e999}}',
    ),
    raw('['.repeat(5_000) + ']'.repeat(5_000)),
    fc.tuple(near, fc.nat(), fc.oneof(fc.jsonValue(), garbageText)).map(([record, at, instead]) => {
      const names = Object.keys(record)
      return JSON.stringify({ ...record, [names[at % names.length]!]: instead })
    }),
    fc.tuple(near, fc.nat()).map(([record, at]) => {
      const names = Object.keys(record)
      const { [names[at % names.length]!]: _dropped, ...others } = record
      return JSON.stringify(others)
    }),
    near.map((record) =>
      JSON.stringify(record).replace(/:-?[\d.e+-]+([,}])(?!.*:-?\d)/, ':1e999$1'),
    ),
    near.map((record) => JSON.stringify({ ...record, values: { [PLATE]: 1 } })),
    near.map((record) => JSON.stringify({ ...record, time: '9999-12-31 00:00:00' })),
  )

const mixed = (
  good: readonly string[],
  bad: readonly string[],
  order: readonly number[],
): Part[] => {
  const parts = [
    ...good.map((text) => ({ text, isGood: true })),
    ...bad.map((text) => ({ text, isGood: false })),
  ]
  return parts
    .map((part, at) => ({ part, key: order[at % order.length]! * 31 + at }))
    .toSorted((a, b) => (a.key % 17) - (b.key % 17))
    .map(({ part }) => part)
}

const WAYS = ['json', 'lines', 'json.gz', 'lines.gz'] as const

/** Sends a batch in one of the ways and checks what the report says of it. */
async function send(
  fuzzed: Fuzzed,
  path: string,
  member: string,
  parts: readonly Part[],
  way: (typeof WAYS)[number],
): Promise<IngestReport> {
  const texts = parts.map(({ text }) => text)
  const isLines = way.startsWith('lines')
  const text = isLines ? texts.join('\n') : `{"${member}":[${texts.join(',')}]}`
  const isZipped = way.endsWith('.gz')
  const response = await fuzzed.call(`/ingest/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${fuzzed.key}`,
      'content-type': isLines ? 'application/x-ndjson' : 'application/json',
      ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
    },
    body: isZipped ? gzipSync(text) : text,
  })
  assert.equal(response.status, 200, response.text)
  const report = response.json<IngestReport>()

  assert.equal(report.accepted + report.rejected.length, parts.length)
  assert.ok(report.replaced <= report.accepted)
  const indexes = report.rejected.map(({ index }) => index)
  assert.deepEqual(
    indexes,
    [...new Set(indexes)].toSorted((a, b) => a - b),
  )
  for (const { index, message } of report.rejected) {
    assert.equal(parts[index]?.isGood, false, `${message}: ${parts[index]?.text}`)
    assert.match(message, /^\S+ .+/)
    for (const secret of [fuzzed.key, fuzzed.token]) assert.ok(!message.includes(secret))
  }
  return report
}

const batch = (near: fc.Arbitrary<Record<string, unknown>>) => ({
  values: fc.array(value, { minLength: 1, maxLength: 12 }),
  bad: fc.array(garbage(near), { maxLength: 8 }),
  order: fc.array(fc.nat(), { minLength: 1 }),
  way: fc.constantFrom(...WAYS),
})

const local = (instant: number): string =>
  new Date(instant + 8 * 60 * MINUTE).toISOString().slice(0, 19).replace('T', ' ')

const inEachField = (vehicle: Record<string, unknown>): Record<string, unknown>[] =>
  Object.keys(vehicle).map((name) => ({ ...vehicle, [name]: PLATE }))

describe('random values beside valid records', () => {
  let fuzzed: Fuzzed
  /** Every batch has minutes of its own, so that none replaces another's. */
  let nextInstant = Date.UTC(2020, 0, 1)
  const takeInstants = (count: number): number[] => {
    const first = nextInstant
    nextInstant += count * MINUTE
    return Array.from({ length: count }, (_, at) => first + at * MINUTE)
  }
  before(async () => {
    fuzzed = await withFuzzed()
  })
  after(() => fuzzed[Symbol.asyncDispose]())

  const readTheme = async (station: number, instants: readonly number[]): Promise<any[]> => {
    const [first, last] = [local(instants[0]!), local(instants.at(-1)!)]
    const window = new URLSearchParams({ startTime: first, endTime: last, token: fuzzed.token })
    const path = `/api/v1/stations/theme/data?stations=${station}&${window}`
    return (await fuzzed.call(path)).json().stations[0].data as any[]
  }

  test('theme: good records are stored and read back as the same double', async () => {
    const near = fc.constant({ station: 1002, time: '2019-01-01 00:00:00', values: { strain: 1 } })
    await fc.assert(
      fc.asyncProperty(fc.record(batch(near)), async ({ values, bad, order, way }) => {
        const instants = takeInstants(values.length)
        const good = values.map((strain, at) =>
          JSON.stringify({
            station: 1001,
            time: instants[at],
            values: { strain, temperature: null },
          }),
        )

        await send(fuzzed, 'theme', 'records', mixed(good, bad, order), way)

        const expected = values.map((strain, at) => ({ strain, time: local(instants[at]!) }))
        assert.deepEqual(await readTheme(1001, instants), expected)
      }),
      { numRuns: RUNS },
    )
  })

  test('raw: good records are stored, and their stations are derived from them', async () => {
    const near = fc.constant({
      sensor: IDS.wire,
      time: '2019-01-01 00:00:00',
      values: { frequency: 1 },
    })
    await fc.assert(
      fc.asyncProperty(fc.record(batch(near)), async ({ values, bad, order, way }) => {
        const instants = takeInstants(values.length)
        const good = values.map((reading, at) =>
          JSON.stringify({ sensor: IDS.gauge, time: instants[at], values: { reading } }),
        )

        await send(fuzzed, 'raw', 'records', mixed(good, bad, order), way)

        const window = new URLSearchParams({
          startTime: local(instants[0]!),
          endTime: local(instants.at(-1)!),
          token: fuzzed.token,
        })
        const response = await fuzzed.call(
          `/api/v1/structures/1/factors/15/stations/data?${window}`,
          {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{"stations":[1004]}',
          },
        )
        const { theme, raw } = response.json()
        const expected = values.map((reading, at) => ({
          values: { reading },
          time: local(instants[at]!),
        }))
        assert.deepEqual(raw.sensors[0].data, expected)
        assert.equal(
          theme.stations[0].data.length,
          values.filter((one) => Number.isFinite(one * 2)).length,
        )
      }),
      { numRuns: RUNS },
    )
  })

  test('traffic: good vehicles are stored and read back', async () => {
    const vehicle = { structure: 1, lane: '1', direction: 0, axleCount: 2, load: 8, license: PLATE }
    const near = fc.constant({ ...vehicle, time: '2019-01-01 00:00:00' })
    await fc.assert(
      fc.asyncProperty(fc.record(batch(near)), async ({ values, bad, order, way }) => {
        const instants = takeInstants(values.length)
        const good = values.map((load, at) =>
          JSON.stringify({ ...vehicle, time: instants[at], load, axleLoad: '桥 "4+4"', speed: 80 }),
        )

        const report = await send(fuzzed, 'traffic', 'records', mixed(good, bad, order), way)

        for (const { message } of report.rejected) assert.ok(!message.includes(PLATE), message)
        const [startTime, endTime] = [local(instants[0]!), local(instants.at(-1)!)]
        const query = new URLSearchParams({ startTime, endTime, token: fuzzed.token })
        const response = await fuzzed.call(`/api/v1/structures/1/traffic-flow?${query}`)
        const expected = values.map((load, at) => ({ load, time: local(instants[at]!) }))
        const loads = (response.json().data as any[]).map(({ load, time }) => ({ load, time }))
        assert.deepEqual(loads, expected)
      }),
      { numRuns: RUNS },
    )
  })

  test('traffic: no error repeats a plate of any field', async () => {
    const vehicle = { structure: 1, time: 0, id: 1, lane: 1, direction: 0, axleCount: 2, load: 8 }
    const more = { axleLoad: '', overload: false, license: '' }
    const records = inEachField({ ...vehicle, ...more }).map((record) => JSON.stringify(record))
    const parts = records.map((text) => ({ text, isGood: false }))

    const { rejected } = await send(fuzzed, 'traffic', 'records', parts, 'json')

    assert.ok(rejected.length >= 6)
    for (const { message } of rejected) assert.ok(!message.includes(PLATE), message)
  })

  test('vibration: a good batch among bad lines is stored to the last sample', async () => {
    const near = fc.constant({
      station: 1031,
      collectTime: '2019-01-01 00:00:00',
      sampleFreq: 10,
      unit: 'cm/s2',
      samples: [1, 2],
    })
    const sample = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 })
    const shape = { ...batch(near), values: fc.array(sample, { minLength: 1, maxLength: 40 }) }
    await fc.assert(
      fc.asyncProperty(fc.record(shape), async ({ values, bad, order, way }) => {
        const [collectTime] = takeInstants(1)
        const samples = values.map((one) => one + 0)
        const good = JSON.stringify({
          station: 1031,
          collectTime,
          sampleFreq: 10,
          unit: 'cm/s2',
          samples,
        })
        const lines = way.endsWith('.gz') ? 'lines.gz' : 'lines'

        await send(fuzzed, 'vibration', '', mixed([good], bad, order), lines)

        const query = new URLSearchParams({ collectTime: local(collectTime!), token: fuzzed.token })
        const response = await fuzzed.call(`/api/v1/stations/1031/vibration/raw?${query}`)
        const read = (response.json().data as { value: string }[]).map((point) =>
          Number(point.value),
        )
        assert.deepEqual(read, samples)
      }),
      { numRuns: RUNS },
    )
  })

  test('heartbeats: valid contacts are stored', async () => {
    const near = fc.constant({ device: IDS.wire, time: '2019-01-01 00:00:00' })
    await fc.assert(
      fc.asyncProperty(fc.record(batch(near)), async ({ values, bad, order, way }) => {
        const instants = takeInstants(values.length)
        const good = instants.map((time) => JSON.stringify({ device: IDS.logger, time }))

        await send(fuzzed, 'heartbeats', 'devices', mixed(good, bad, order), way)

        const contacts = await fuzzed.service.storage.devices.listContacts()
        const contact = contacts.find(({ device }) => device === IDS.logger)
        assert.equal(contact?.time, instants.at(-1))
      }),
      { numRuns: RUNS },
    )
  })

  test('secrets are neither in the log nor in the metrics', () => fuzzed.assertNothingLeaked())
})
