import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { withService, type TestService } from '../_service.ts'

const SITE = `
timeZone: Asia/Shanghai
users: [{ id: 1, name: 桥梁监测中心, structures: all }]
structureTypes: [{ id: 1, name: 桥梁 }]
factors:
  - id: 1
    name: 应变
    items:
      - { id: 1, key: strain, name: 应变, unit: "µε", precision: 0.1 }
      - { id: 2, key: __proto__, name: 原型, unit: "", precision: 1 }
structures:
  - id: 1
    name: 长江大桥
    type: 1
    latitude: 30
    longitude: 114
    factors: [{ factor: 1, stations: [{ id: 11, name: 测点一 }, { id: 12, name: 测点二 }] }]
`

const STATIONS = [11, 12] as const
const START = Date.UTC(2026, 0, 1)

const value = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((number) => !Number.isInteger(number) || Number.isSafeInteger(number))
/** `__proto__` as an own member, as JSON brings it. */
const values = fc
  .tuple(value, fc.option(value, { nil: undefined }))
  .map(
    ([strain, proto]) =>
      JSON.parse(
        `{"strain":${strain}${proto === undefined ? '' : `,"__proto__":${proto}`}}`,
      ) as Record<string, number>,
  )
const good = fc.record({
  station: fc.constantFrom(...STATIONS),
  time: fc.integer({ min: 0, max: 5_000 }).map((second) => START + second * 1000),
  values,
})
const bad = fc.oneof(
  fc.jsonValue(),
  good.map((record) => ({ ...record, station: 99 })),
  good.map((record) => ({ ...record, time: '2026-02-30 00:00:00' })),
  good.map((record) => ({ ...record, time: Date.now() + 3 * 86_400_000 })),
  good.map((record) => ({ ...record, values: { strain: '1.5' } })),
  good.map((record) => ({ ...record, values: { strain: 1, 应变: 2 } })),
  good.map((record) => ({ ...record, values: { strain: null } })),
  good.map((record) => ({ ...record, values: { strain: 2 ** 53 } })),
)
const batch = fc.array(
  fc.oneof(
    good.map((record) => ({ record, isGood: true as const })),
    bad.map((record) => ({ record, isGood: false as const })),
  ),
  { maxLength: 40 },
)

describe('batches of good records and garbage', () => {
  let service: TestService
  let key: string
  let token: string
  before(async () => {
    service = await withService({ site: SITE })
    key = await service.createKey()
    token = await service.issueToken()
  })
  after(() => service[Symbol.asyncDispose]())

  test('each bad record is named by its index, and the good ones are read back as they were', async () => {
    const stored = new Map<string, Record<string, number>>()

    await fc.assert(
      fc.asyncProperty(batch, async (members) => {
        const sent = { records: members.map(({ record }) => record) }

        const answer = await service.ingest('theme', key, sent)

        const wanted = members.flatMap(({ isGood }, index) => (isGood ? [] : [index]))
        const { accepted, rejected } = answer.json<{
          accepted: number
          rejected: { index: number; message: string }[]
        }>()
        assert.equal(answer.status, 200)
        assert.deepEqual(
          rejected.map(({ index }) => index),
          wanted,
        )
        assert.equal(accepted, members.length - wanted.length)
        assert.ok(rejected.every(({ message }) => message.length > 10))

        for (const member of members)
          if (member.isGood) {
            const { station, time, values: given } = member.record
            stored.set(`${station} ${time}`, given)
          }
        for (const station of STATIONS) assert.deepEqual(await readBack(station), kept(station))
      }),
      { numRuns: 60 },
    )

    function kept(station: number): [number, [string, number][]][] {
      return [...stored]
        .map(([name, given]): [string[], typeof given] => [name.split(' '), given])
        .filter(([[id]]) => id === String(station))
        .map(([[, time], given]): [number, [string, number][]] => [
          Number(time),
          Object.entries(given).map(([item, number]) => [item, number === 0 ? 0 : number]),
        ])
        .toSorted(([one], [other]) => one - other)
    }
  })

  /** Instants and values as a client reads them out of the JSON text. */
  async function readBack(station: number): Promise<[number, [string, number][]][]> {
    const path = `/stations/theme/data?stations=${station}&startTime=2026-01-01%2000:00:00&endTime=2026-01-02%2000:00:00`
    const answer = await service.get(path, token)
    const { stations } = answer.json<{ stations: { data: Record<string, number | string>[] }[] }>()
    return stations[0]!.data.map((record) => {
      const { time, ...given } = record
      const items = Object.entries(given) as [string, number][]
      return [Date.parse(`${String(time).replace(' ', 'T')}+08:00`), items]
    })
  }
})
