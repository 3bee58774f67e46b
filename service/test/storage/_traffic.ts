import assert from 'node:assert/strict'
import test from 'node:test'
import type { Storage, TrafficQuery, TrafficRow } from '../../src/storage/storage.ts'
import { EVER, gather, type NewPlace } from './_place.ts'

let lastVehicle = 0

function vehicle(parts: Partial<TrafficRow> = {}): TrafficRow {
  const number = ++lastVehicle
  return {
    structure: 1,
    time: 0,
    identity: `id ${number}`,
    overload: false,
    license: '',
    load: 10,
    record: `{"number":${number}}`,
    details: '{}',
    ...parts,
  }
}

async function read(storage: Storage, query: Partial<TrafficQuery> = {}): Promise<string> {
  return gather(storage.traffic.read({ structure: 1, ...EVER, ...query }))
}

const joined = (rows: readonly TrafficRow[]): string =>
  `[${rows.map(({ record }) => record).join(',')}]`

export function trafficFacts(newPlace: NewPlace): void {
  test('vehicles come oldest first, in one instant by their identity', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const rows = [
      vehicle({ time: -5 }),
      ...['A', 'B', 'a', 'b', 'é', '車', '🚚'].map((identity) => vehicle({ time: 3, identity })),
      vehicle({ time: 7, record: '{"license":"滬A·12345 🚚"}' }),
    ]

    await storage.traffic.write(rows.toReversed())

    assert.equal(await read(storage), joined(rows))
  })

  for (const count of [999, 1_000, 1_001, 2_000, 2_500])
    test(`${count} vehicles of one instant are read once each`, async () => {
      await using place = await newPlace()
      const storage = await place.open()
      const rows = Array.from({ length: count }, (_, at) =>
        vehicle({ time: 5, identity: `id ${String(at).padStart(5, '0')}` }),
      )
      const around = [vehicle({ time: 4 }), vehicle({ time: 6 })]

      await storage.traffic.write([...rows.toReversed(), ...around])

      assert.equal(await read(storage), joined([around[0]!, ...rows, around[1]!]))
      assert.equal(await read(storage, { from: 5, to: 5 }), joined(rows))
      assert.equal(await read(storage, { from: 6, to: 6 }), joined([around[1]!]))
    })

  test('pages with a filter hold every match', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const rows = Array.from({ length: 5_000 }, (_, time) =>
      vehicle({ time: time % 50, overload: time % 2 === 0, load: time, license: `P${time % 10}` }),
    )
    await storage.traffic.write(rows)

    const numbers = async (query: Partial<TrafficQuery>) =>
      (JSON.parse(await read(storage, query)) as { number: number }[])
        .map(({ number }) => number)
        .toSorted((a, b) => a - b)
    const matching = (accepts: (row: TrafficRow) => boolean) =>
      rows.filter(accepts).map(({ record }) => (JSON.parse(record) as { number: number }).number)

    assert.deepEqual(
      await numbers({ overload: true }),
      matching((row) => row.overload),
    )
    assert.deepEqual(
      await numbers({ overload: false, license: '3' }),
      matching((row) => row.license === 'P3'),
    )
    assert.deepEqual(
      await numbers({ loadFloor: 1_234, from: 10, to: 20 }),
      matching((row) => row.load >= 1_234 && row.time >= 10 && row.time <= 20),
    )
  })

  test('a plate is searched as plain text: %, _, \\ and quotes are literal', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const plates = ['100%', '1000', 'A_B', 'AxB', 'c:\\d', "o'neil", '粵B·88', 'ab', 'AB', '']
    const rows = plates.map((license, time) => vehicle({ license, time }))
    await storage.traffic.write(rows)

    const found = async (license: string) => {
      const texts = await read(storage, { license })
      return rows.filter(({ record }) => texts.includes(record)).map((row) => row.license)
    }

    assert.deepEqual(await found('%'), ['100%'])
    assert.deepEqual(await found('_'), ['A_B'])
    assert.deepEqual(await found('\\'), ['c:\\d'])
    assert.deepEqual(await found("'"), ["o'neil"])
    assert.deepEqual(await found('B·8'), ['粵B·88'])
    assert.deepEqual(await found('AB'), ['AB'])
    assert.deepEqual(await found('00'), ['100%', '1000'])
    assert.deepEqual(await found('zz'), [])
  })

  test('the weight floor is inclusive', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const rows = [0.1, 49.999999999999993, 50, 80.5].map((load, time) => vehicle({ load, time }))
    await storage.traffic.write(rows)

    assert.equal(await read(storage, { loadFloor: 50 }), joined(rows.slice(2)))
    assert.equal(await read(storage, { loadFloor: 0.1 }), joined(rows))
    assert.equal(await read(storage, { loadFloor: -1 }), joined(rows))
  })

  test('a vehicle of the same structure, instant and identity replaces the first', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const first = vehicle({ identity: 'id 1', license: 'OLD', load: 1 })
    const second = vehicle({ identity: 'id 1', license: 'NEW', load: 99, overload: true })
    const elsewhere = vehicle({ identity: 'id 1', structure: 2 })
    const later = vehicle({ identity: 'id 1', time: 1 })

    assert.deepEqual(await storage.traffic.write([first]), { replaced: 0 })
    assert.deepEqual(await storage.traffic.write([second, elsewhere, later]), { replaced: 1 })
    assert.deepEqual(await storage.traffic.write([]), { replaced: 0 })

    assert.equal(await read(storage), joined([second, later]))
    assert.equal(await read(storage, { structure: 2 }), joined([elsewhere]))
    assert.equal(await read(storage, { license: 'OLD' }), '[]')
    assert.equal(await read(storage, { license: 'NEW', overload: true }), joined([second]))
  })

  test('vehicles persist after reopening', async () => {
    await using place = await newPlace()
    const row = vehicle()
    {
      await using storage = await place.open()
      await storage.traffic.write([row])
    }

    assert.equal(await read(await place.open()), joined([row]))
  })
}
