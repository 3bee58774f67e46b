import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { NOW, TestPlace } from './_place.ts'
import { SENSORS } from './_site.ts'

const KEYS = ['a', 'b', 'c', '__proto__'] as const
const record = (time: number, values: object) => ({ sensor: SENSORS.many, time, values })

const texts = (records: Record<string, unknown>[]) => records.map(({ values }) => values)

test('values of one instant that arrive one by one become one record, in any order', async () => {
  await using at = await TestPlace.open()
  let time = NOW - 86_400_000
  const messages = KEYS.map((key, value) => ({ key, value }))
  const orders = fc.shuffledSubarray(messages, { minLength: 4, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(
      orders,
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      async (order, cuts) => {
        time += 1000
        const before = (await at.readSensor(SENSORS.many)).length

        for (const [index, { key, value }] of order.entries()) {
          if (cuts[index] && index === 2) await at.reopen()
          await at.ingest.raw([record(time, { [key]: value })])
        }

        const records = await at.readSensor(SENSORS.many)
        assert.equal(records.length, before + 1)
        assert.deepEqual(records.at(-1)!['values'], { a: 0, b: 1, c: 2, ['__proto__']: 3 })
      },
    ),
    { numRuns: runs(20) },
  )
})

test('concurrent messages of one instant are merged', async () => {
  await using at = await TestPlace.open()

  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      at.ingest.raw([record(NOW + Math.floor(index / 4), { [KEYS[index % 4]!]: index })]),
    ),
  )

  const expected = Array.from({ length: 10 }, (_, at) => {
    const first = at * 4
    return { a: first, b: first + 1, c: first + 2, ['__proto__']: first + 3 }
  })
  assert.deepEqual(texts(await at.readSensor(SENSORS.many)), expected)
})

test('records of one record batch are merged, and the later value wins', async () => {
  await using at = await TestPlace.open()

  const report = await at.ingest.raw([
    record(NOW, { a: 1, b: 2 }),
    record(NOW, { b: 3 }),
    record(NOW, { c: 4 }),
  ])

  assert.deepEqual(report, { accepted: 3, replaced: 0, rejected: [] })
  assert.deepEqual(texts(await at.readSensor(SENSORS.many)), [{ a: 1, b: 3, c: 4 }])
})

test('a null names no value: it stays like one that is left out', async () => {
  await using at = await TestPlace.open()
  await at.ingest.raw([record(NOW, { a: 1, b: 2 })])

  await at.ingest.raw([record(NOW, { a: null, c: 3 })])

  assert.deepEqual(texts(await at.readSensor(SENSORS.many)), [{ a: 1, b: 2, c: 3 }])
})

test('a derived station gets the values of all messages', async () => {
  await using at = await TestPlace.open()

  await at.ingest.raw([record(NOW, { b: 2 })])
  await at.ingest.raw([record(NOW, { a: 1 })])

  assert.deepEqual(texts(await at.read('theme', 1)), [{ strain: 1, second: 4 }])
})

test('a record that is to replace the earlier one whole does so', async () => {
  await using at = await TestPlace.open()
  await at.ingest.raw([record(NOW, { a: 1, b: 2 })])

  await at.ingest.raw([record(NOW, { b: 3 })], { replace: 'whole' })

  assert.deepEqual(texts(await at.readSensor(SENSORS.many)), [{ b: 3 }])
})

test('an invalid record of a merged record batch is named, and the next batch is stored', async () => {
  await using at = await TestPlace.open()
  const original = at.storage.records.write
  at.storage.records.write = () => Promise.reject(new Error('full'))
  await assert.rejects(at.ingest.raw([record(NOW, { a: 1 })]), /full/)
  at.storage.records.write = original

  const report = await at.ingest.raw([record(NOW, { a: 2 }), record(NOW, { x: 1 })])

  assert.deepEqual(report.rejected, [{ index: 1, message: 'sensor Many has no item "x"' }])
  assert.deepEqual(texts(await at.readSensor(SENSORS.many)), [{ a: 2 }])
})
