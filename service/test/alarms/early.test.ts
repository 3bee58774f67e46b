import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listLives, newPlace, siteWith, type Instance } from './_place.ts'

const EPOCH = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const RATE = 'rates: [{ per: hour, levels: [{ level: 2, limit: 5 }] }]'

/** Sends values of station 1 at minutes. */
const send = async (instance: Instance, ...records: [minute: number, v: number][]) => {
  const report = await instance.ingest.theme(
    records.map(([minute, v]) => ({ station: 1, time: EPOCH + minute * MINUTE, values: { v } })),
  )
  assert.deepEqual(report.rejected, [])
}

const newClock = () => {
  const clock = { minute: 0, now: () => EPOCH + clock.minute * MINUTE }
  return clock
}

const minuteOf = (time: string) => (Date.parse(`${time.replace(' ', 'T')}Z`) - EPOCH) / MINUTE

/** Of each alarm the minutes of its begin and end, and the states of its steps. */
const lives = async ({ storage }: Instance) =>
  (await listLives(storage, 1)).map(({ startTime, endTime, steps }) => [
    minuteOf(startTime),
    minuteOf(endTime),
    steps,
  ])

test('two instances evaluate each due early record once and in order', async () => {
  const clock = newClock()
  await using place = await newPlace(siteWith(), clock.now)
  await using one = await place.open()
  await using other = await place.open()
  const values = Array.from({ length: 1200 }, (_, at): [number, number] => {
    return [10 + at / 60, at % 3 === 2 ? 0 : 20]
  })
  await send(one, ...values.toReversed())
  assert.deepEqual(await lives(one), [])

  clock.minute = 40
  await Promise.all([one.evaluateDue(), other.evaluateDue(), one.evaluateDue()])

  const found = await lives(other)
  assert.equal(found.length, 400)
  assert.ok(found.every(([, , steps]) => String(steps) === '0,1,3'))
})

test('an early record that is due after a newer one was evaluated is late', async () => {
  const clock = newClock()
  await using place = await newPlace(siteWith(), clock.now)
  await using one = await place.open()
  await send(one, [10, 20])

  clock.minute = 12
  await send(one, [11, 0])
  await one.evaluateDue()

  assert.deepEqual(await lives(one), [])
})

test('a rule evaluates records of today beside an early one', async () => {
  const clock = newClock()
  await using place = await newPlace(siteWith('', RATE), clock.now)
  await using one = await place.open()
  await send(one, [0, 0], [600, 3])

  for (const minute of [20, 40, 60]) {
    clock.minute = minute
    await send(one, [minute, minute === 60 ? 6 : 0])
  }

  assert.deepEqual(await lives(one), [[60, 60, [0]]])
})

test('a rule evaluates records of today after the clock has stepped back', async () => {
  const clock = newClock()
  await using place = await newPlace(siteWith('', RATE), clock.now)
  await using one = await place.open()
  await send(one, [0, 0])
  clock.minute = 600_000
  await send(one, [600_000, 3])

  for (const minute of [20, 40, 60]) {
    clock.minute = minute
    await send(one, [minute, minute === 60 ? 6 : 0])
  }

  assert.deepEqual(await lives(one), [[60, 60, [0]]])
})

test('an engine that is notified of a deletion discards its state of the deleted records', async () => {
  const clock = newClock()
  await using place = await newPlace(siteWith(), clock.now)
  await using one = await place.open()
  clock.minute = 60
  await send(one, [60, 0])
  const gone = { theme: { sources: [1], times: [EPOCH + 60 * MINUTE] } }

  await one.storage.records.write({}, { deletions: gone })
  await send(one, [1, 20])

  assert.deepEqual(await lives(one), [[1, 1, [0]]])
})

test('a lease that was taken by a clock far ahead is free', async () => {
  await using place = await newPlace()
  await using one = await place.open()
  const { leases } = one.storage
  const take = (holder: string, now: number) =>
    leases.take({ name: 'job', holder, now, until: now + MINUTE })
  await take('gone', EPOCH + 600_000 * MINUTE)

  const taken = await take('new', EPOCH)
  const other = await take('other', EPOCH + 1000)

  assert.deepEqual([taken, other], [true, false])
})
