import assert from 'node:assert/strict'
import test from 'node:test'
import { zone } from '../../src/domain/time/local-time.ts'
import {
  EVER,
  gather,
  localText,
  minutes,
  readRecords,
  recordAt,
  rowsOf,
  type NewPlace,
} from './_place.ts'

const NOTHING = { theme: { replaced: 0 }, raw: { replaced: 0 } }

export function dataFacts(newPlace: NewPlace): void {
  test('a record is served byte for byte as it was written', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const records = [
      '{"strain":0.1,"time":"2026-01-01 00:00:00"}',
      '{"應變":-1.7976931348623157e+308,"time":"2026-01-01 00:00:01"}',
      String.raw`{"\"\\\u0000\ud800":5e-324,"time":"2026-01-01 00:00:02"}`,
      '{"µε 🌉":-0.0000012,"é":2,"time":"2026-01-01 00:00:03"}',
    ]
    const times = records.map((_, index) => index * 1000)

    await storage.records.write({ theme: { sources: [7, 7, 7, 7], times, records } })

    const flat = storage.records.read({ kind: 'theme', source: 7, shape: 'flat', ...EVER })
    assert.equal(await gather(flat), `[${records.join(',')}]`)
  })

  test('the nested shape puts the values in an object of their own', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const records = [
      '{"strain":0.1,"temperature":3,"time":"2026-01-01 00:00:00"}',
      '{"應變 \\" }":1,"time":"2026-01-01 00:00:01"}',
    ]
    await storage.records.write({ raw: { sources: [7, 7], times: [0, 1000], records } })

    const nested = storage.records.read({ kind: 'raw', source: 7, shape: 'nested', ...EVER })

    assert.equal(
      await gather(nested),
      '[{"values":{"strain":0.1,"temperature":3},"time":"2026-01-01 00:00:00"},' +
        '{"values":{"應變 \\" }":1},"time":"2026-01-01 00:00:01"}]',
    )
  })

  test('the newest record of a sealed source is a correction, if it has one', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, [1000, 5000], () => 1) })
    const day = { kind: 'theme', source: 1, start: 0, until: 86_400_000 } as const
    await storage.sealedDays.seal({ ...day, zone: zone('UTC') })
    const newest = async (to: number) =>
      (await readRecords(storage, { source: 1, newest: 1, to })).map(({ v }) => v as number)
    assert.deepEqual([await newest(9000), await newest(4000)], [[1], [1]])

    await storage.records.write({ theme: rowsOf(1, [5000], () => 2) })
    assert.deepEqual([await newest(9000), await newest(4000)], [[2], [1]])

    await storage.records.write({ theme: rowsOf(1, [7000], () => 3) })
    assert.deepEqual([await newest(9000), await newest(6000), await newest(500)], [[3], [2], []])
  })

  test('a row replaces an earlier one of the same source and instant, and is counted', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const times = minutes(3)

    const first = await storage.records.write({ theme: rowsOf(1, times), raw: rowsOf(1, times) })
    const later = [times[1]!, times[2]!, times[2]! + 60_000]
    const second = await storage.records.write({ theme: rowsOf(1, later, () => 9) })

    assert.deepEqual(first, NOTHING)
    assert.deepEqual(second, { theme: { replaced: 2 }, raw: { replaced: 0 } })
    const values = async (kind: 'theme' | 'raw') =>
      (await readRecords(storage, { kind, source: 1 })).map(({ v }) => v as number)
    assert.deepEqual(await values('theme'), [0, 9, 9, 9])
    assert.deepEqual(await values('raw'), [0, 1, 2])
  })

  test('of two records of one instant in a record batch the last one wins', async () => {
    await using place = await newPlace()
    const storage = await place.open()

    const { theme } = await storage.records.write({ theme: rowsOf(1, [5, 5, 5], (at) => at + 1) })

    assert.deepEqual(theme, { replaced: 2 })
    assert.deepEqual(
      (await readRecords(storage, { source: 1 })).map(({ v }) => v as number),
      [3],
    )
  })

  test('records of different sources and kinds are separate', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, [0, 1]), raw: rowsOf(2, [0]) })
    await storage.records.write({ theme: rowsOf(2, [0, 1, 2]) })

    const count = async (kind: 'theme' | 'raw', source: number) =>
      (await readRecords(storage, { kind, source })).length

    assert.equal(await count('theme', 1), 2)
    assert.equal(await count('theme', 2), 3)
    assert.equal(await count('raw', 1), 0)
    assert.equal(await count('raw', 2), 1)
    assert.equal(await count('theme', 3), 0)
  })

  test('an empty record batch stores nothing', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const none = { sources: [], times: [], records: [] }

    assert.deepEqual(await storage.records.write({}), NOTHING)
    assert.deepEqual(await storage.records.write({ theme: none, raw: none }), NOTHING)
    assert.deepEqual(await storage.records.write({ theme: none, raw: rowsOf(1, [0, 0]) }), {
      theme: { replaced: 0 },
      raw: { replaced: 1 },
    })
  })

  test('both ends of a window are inclusive, before 1970 too', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const times = [-62_135_596_800_000, -2, -1, 0, 1, 2, 253_402_300_799_000]
    await storage.records.write({ theme: rowsOf(1, times) })

    const values = async (from: number, to: number) =>
      (await readRecords(storage, { source: 1, from, to })).map(({ v }) => v as number)

    assert.deepEqual(await values(-1, 1), [2, 3, 4])
    assert.deepEqual(await values(0, 0), [3])
    assert.deepEqual(await values(3, 9), [])
    assert.deepEqual(await values(1, -1), [])
    assert.deepEqual(await values(EVER.from, EVER.to), [0, 1, 2, 3, 4, 5, 6])
  })

  for (const count of [1_999, 2_000, 2_001, 4_000, 5_003])
    test(`${count} records come ascending, each once, and newest first with a limit`, async () => {
      await using place = await newPlace()
      const storage = await place.open()
      const times = minutes(count)
      // Written out of order, so that the order of the result is not that of writing.
      const shuffled = times.toSorted((a, b) => (a % 7919) - (b % 7919))
      await storage.records.write({ theme: rowsOf(1, shuffled), raw: rowsOf(1, [0]) })

      const responded = (await readRecords(storage, { source: 1 })).map(
        ({ time }) => time as string,
      )
      assert.deepEqual(responded, times.map(localText))

      for (const newest of [1, 1_999, 2_000, 2_001, count, count + 1, 10_000]) {
        const chunks = await readRecords(storage, { source: 1, newest })
        const expected = times.toReversed().slice(0, newest).map(localText)
        assert.deepEqual(
          chunks.map(({ time }) => time as string),
          expected,
        )
      }
    })

  test('a limit takes the newest of the window', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.records.write({ theme: rowsOf(1, [10, 20, 30, 40, 50]) })

    const values = async (from: number, to: number, newest: number) =>
      (await readRecords(storage, { source: 1, from, to, newest })).map(({ v }) => v as number)

    assert.deepEqual(await values(20, 40, 2), [3, 2])
    assert.deepEqual(await values(20, 40, 9), [3, 2, 1])
    assert.deepEqual(await values(EVER.from, 30, 1), [2])
    assert.deepEqual(await values(31, 39, 5), [])
  })

  test('a record that exists throughout a read is in it once, beside any writes', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const times = minutes(6_000)
    await storage.records.write({ theme: rowsOf(1, times) })

    const chunks: string[] = []
    for await (const chunk of storage.records.read({
      kind: 'theme',
      source: 1,
      shape: 'flat',
      ...EVER,
    })) {
      chunks.push(Buffer.from(chunk).toString())
      const between = times.map((time) => time + chunks.length)
      await storage.records.write({ theme: rowsOf(1, between.slice(0, 500), () => -1) })
    }

    const kept = (JSON.parse(`[${chunks.join(',')}]`) as { v: number }[]).filter(({ v }) => v >= 0)
    assert.deepEqual(
      kept.map(({ v }) => v),
      times.map((_, index) => index),
    )
  })

  test('a record batch with one row that cannot be stored is not stored', async () => {
    await using place = await newPlace()
    const storage = await place.open()

    const wrong = rowsOf(1, [0, 60_000, 120_000])
    wrong.times[2] = NaN
    await assert.rejects(storage.records.write({ theme: wrong, raw: rowsOf(1, [0]) }))

    assert.deepEqual(await readRecords(storage, { source: 1 }), [])
    assert.deepEqual(await readRecords(storage, { kind: 'raw', source: 1 }), [])
  })

  test('records persist after reopening', async () => {
    await using place = await newPlace()
    {
      await using storage = await place.open()
      await storage.records.write({ theme: rowsOf(1, minutes(3_000)), raw: rowsOf(2, [7]) })
    }

    const again = await place.open()

    assert.equal((await readRecords(again, { source: 1 })).length, 3_000)
    const raw = again.records.read({ kind: 'raw', source: 2, shape: 'flat', ...EVER })
    assert.equal(await gather(raw), `[${recordAt(7, 0)}]`)
  })
}
