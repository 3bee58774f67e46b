import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import { readRecords } from '../storage/_place.ts'
import { withService, type TestService } from '../_service.ts'

const sensorId = (number: number): string =>
  `6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a${String(number).padStart(2, '0')}`
const [ONE, TWO, THREE] = [sensorId(1), sensorId(2), sensorId(3)]

/**
 * Station 1 hangs on three sensors, 2 and 3 are a settlement group, 4 to 6 an inclinometer; 7 hangs
 * on one sensor alone.
 */
const SITE = `timeZone: Asia/Shanghai
users: [{ id: 1, name: All, structures: all }]
structureTypes: [{ id: 2, name: Bridge }]
factors:
  - id: 15
    name: Strain
    items:
      - { id: 1, key: a, name: A, unit: m, precision: 0.001 }
      - { id: 2, key: b, name: B, unit: m, precision: 0.001 }
      - { id: 3, key: sum, name: Sum, unit: m, precision: 0.001 }
  - id: 16
    name: Settlement
    items: [{ id: 4, key: settling, name: Settling, unit: mm, precision: 0.1 }]
  - id: 17
    name: Inclination
    items:
      - { id: 5, key: x, name: X, unit: mm, precision: 0.1 }
      - { id: 6, key: xTotal, name: Sum of X, unit: mm, precision: 0.1 }
structures:
  - id: 1
    name: 长江大桥
    type: 2
    latitude: 30
    longitude: 114
    factors:
      - factor: 15
        stations:
          - { id: 7, name: S-7, from: { sensors: [${sensorId(8)}], conversion: { kind: linear, item: a, k: 3, value: v } } }
          - id: 1
            name: S-1
            from:
              sensors: [${ONE}, ${TWO}, ${THREE}]
              alignSeconds: 2
              conversion:
                - { kind: linear, item: a, k: 2, sensor: ${ONE}, value: v }
                - { kind: expression, item: b, formula: v + w, sensor: ${TWO}, w: '${THREE}/v' }
                - { kind: linear, item: sum, k: 1, value: v, combine: sum }
      - factor: 16
        groups:
          - id: 21
            name: Cells
            params: { isBase: { name: Base point } }
            conversion: { kind: settlement }
            stations:
              - id: 2
                name: Base
                groupParams: { isBase: true }
                from: { sensors: [${sensorId(4)}], conversion: { kind: linear, k: 1, value: v } }
              - id: 3
                name: P-1
                groupParams: { isBase: false }
                from: { sensors: [${sensorId(5)}], alignSeconds: 1, conversion: { kind: linear, k: 1, value: v } }
      - factor: 17
        groups:
          - id: 22
            name: Borehole
            params: { depth: { name: Depth, unit: m } }
            conversion: { kind: inclinometer, fixedEnd: bottom, sums: { xTotal: x } }
            stations:
${[4, 5, 6]
  .map(
    (id) => `              - id: ${id}
                name: I-${id}
                groupParams: { depth: ${id / 2} }
                from: { sensors: [${sensorId(id + 2)}], conversion: { kind: linear, item: x, k: 1, value: v } }`,
  )
  .join('\n')}
    devices:
${[1, 2, 3, 4, 5, 6, 7, 8]
  .map(
    (number) =>
      `      - { id: ${sensorId(number)}, name: Cell ${number}, kind: sensor, items: [{ key: v, name: V }, { key: other, name: Other }] }`,
  )
  .join('\n')}
`

const START = Date.UTC(2026, 0, 5)
const clock = zone('Asia/Shanghai')

type Raw = { sensor: number; second: number; v: number | undefined }
type Values = Record<string, number>

/** What was sent last of each sensor and second. */
type Kept = Map<string, Raw>

const kept = (raw: Kept, sensor: number): Raw[] =>
  [...raw.values()].filter((one) => one.sensor === sensor).toSorted((a, b) => a.second - b.second)

/** The value nearest to a second, the earlier of two. */
function nearest(raw: Kept, sensor: number, second: number, reach: number): number | undefined {
  const [found] = kept(raw, sensor)
    .filter((one) => Math.abs(one.second - second) <= reach)
    .toSorted(
      (a, b) => Math.abs(a.second - second) - Math.abs(b.second - second) || a.second - b.second,
    )
  return found?.v
}

/** The records of every station, found the slow way from all that was sent. */
function expected(raw: Kept, round: (value: number) => number): Map<number, Map<number, Values>> {
  const stations = new Map<number, Map<number, Values>>()
  const put = (station: number, second: number, values: Record<string, number | undefined>) => {
    const given = Object.entries(values).filter(
      (entry): entry is [string, number] => entry[1] !== undefined,
    )
    if (given.length === 0) return
    const ofStation = stations.getOrInsertComputed(station, () => new Map<number, Values>())
    ofStation.set(second, Object.fromEntries(given.map(([key, value]) => [key, round(value)])))
  }

  const led = new Set<number>()
  for (const sensor of [1, 2, 3]) {
    const own = kept(raw, sensor).map(({ second }) => second)
    const free = own.filter(
      (second) => ![...led].some((other) => other !== second && Math.abs(other - second) <= 2),
    )
    for (const second of free) led.add(second)
  }
  for (const second of led) {
    const [one, two, three] = [1, 2, 3].map((sensor) => nearest(raw, sensor, second, 2))
    put(1, second, {
      a: one === undefined ? undefined : 2 * one,
      b: two === undefined || three === undefined ? undefined : two + three,
      sum:
        one === undefined || two === undefined || three === undefined
          ? undefined
          : one + two + three,
    })
  }

  for (const { second, v } of kept(raw, 8))
    put(7, second, { a: v === undefined ? undefined : 3 * v })

  for (const { second, v } of kept(raw, 4))
    put(2, second, { settling: v === undefined ? undefined : 0 })
  for (const { second, v } of kept(raw, 5)) {
    const base = nearest(raw, 4, second, 1)
    put(3, second, { settling: v === undefined || base === undefined ? undefined : v - base })
  }

  for (const station of [4, 5, 6])
    for (const { second, v } of kept(raw, station + 2)) {
      const chain = [6, 5, 4].slice(0, 7 - station).map((of) => nearest(raw, of + 2, second, 0))
      const isWhole = chain.every((value) => value !== undefined)
      put(station, second, {
        x: v,
        xTotal: isWhole ? chain.reduce((sum, value) => sum! + value!, 0) : undefined,
      })
    }
  return stations
}

const raw = fc.record({
  sensor: fc.integer({ min: 1, max: 8 }),
  second: fc.integer({ min: 0, max: 9 }),
  v: fc.option(
    fc.integer({ min: -50, max: 50 }).map((tenths) => tenths / 10),
    { nil: undefined, freq: 8 },
  ),
})
const batches = fc.array(fc.array(raw, { minLength: 1, maxLength: 12 }), {
  minLength: 1,
  maxLength: 5,
})

const toRecord = ({ sensor, second, v }: Raw, start: number) => ({
  sensor: sensorId(sensor),
  time: clock.toLocal(start + second * 1000),
  values: v === undefined ? { other: 1 } : { v },
})

describe('stations derived from several sensors', () => {
  let service: TestService
  let key: string
  before(async () => {
    service = await withService({ site: SITE, settings: { 'seal.everyMinutes': 0 } })
    key = await service.createKey()
  })
  after(() => service[Symbol.asyncDispose]())

  test('have the derived records of all raw records, in any order and partition', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(batches, fc.boolean(), fc.boolean(), async (sent, isAtOnce, isWhole) => {
        // A minute of its own for every run.
        const start = START + run++ * 60_000
        const all: Kept = new Map()
        const responses = []
        for (const batch of sent) {
          for (const one of batch) {
            const place = `${one.sensor} ${one.second}`
            const v = one.v ?? (isWhole ? undefined : all.get(place)?.v)
            all.set(place, { ...one, v })
          }
          const records = batch.map((one) => toRecord(one, start))
          // Sent at once, only batches of different sensors have no order of their own.
          responses.push(service.ingest(isWhole ? 'raw?replace=whole' : 'raw', key, { records }))
          if (!isAtOnce || overlaps(sent)) await responses.at(-1)
        }
        for (const response of await Promise.all(responses))
          assert.deepEqual(response.json().rejected, [])

        const model = expected(all, (value) => Math.round(value * 100) / 100 + 0)
        for (const station of [1, 2, 3, 4, 5, 6, 7]) {
          const window = { from: start, to: start + 59_999 }
          const found = await readRecords(service.storage, { source: station, ...window })
          assert.deepEqual(
            found.map(({ time, ...values }) => [time, values]),
            [...(model.get(station) ?? [])]
              .toSorted(([a], [b]) => a - b)
              .map(([second, values]) => [clock.toLocal(start + second * 1000), values]),
            `station ${station}`,
          )
        }
      }),
      { numRuns: runs(250) },
    )
  })
})

/** Whether two batches speak of one sensor and second. */
function overlaps(sent: readonly (readonly Raw[])[]): boolean {
  const places = sent.map(
    (batch) => new Set(batch.map(({ sensor, second }) => `${sensor} ${second}`)),
  )
  const all = new Set(places.flatMap((set) => [...set]))
  return all.size < places.reduce((sum, set) => sum + set.size, 0)
}
