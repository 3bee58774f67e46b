import assert from 'node:assert/strict'
import test from 'node:test'
import { confirmedAt, UNKNOWN_CLOCK } from '../../src/domain/time/trusted-clock.ts'
import { zone } from '../../src/domain/time/local-time.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { rowsOf, type NewPlace } from './_place.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** What retention is held to: how records lie in time, its daily share, the course of the clock. */
export function retentionBoundsFacts(newPlace: NewPlace): void {
  for (const kind of ['theme', 'raw'] as const)
    test(`the oldest, the newest and the days of ${kind} records are found, sealed or open`, async () => {
      await using place = await newPlace()
      const storage = await place.open()
      const { retention } = storage
      const times = [0, HOUR, DAY, 5 * DAY, 9 * DAY]
      await storage.records.write({ [kind]: rowsOf(1, times) })
      for (const day of [0, 1])
        await storage.sealedDays.seal({
          kind,
          source: 1,
          start: day * DAY,
          until: (day + 1) * DAY,
          zone: zone('UTC'),
        })

      assert.equal(await retention.findOldest(kind, 1), 0)
      assert.equal(await retention.findOldest(kind, 2), undefined)
      assert.equal(await retention.findNewest(kind, 1, 99 * DAY), 9 * DAY)
      assert.equal(await retention.findNewest(kind, 1, 9 * DAY - 1), 5 * DAY)
      assert.equal(await retention.findNewest(kind, 1, 4 * DAY), DAY)
      assert.equal(await retention.findNewest(kind, 1, -1), undefined)
      assert.deepEqual(await countDays(storage, kind), [
        [0, 2],
        [1, 1],
        [5, 1],
        [9, 1],
      ])
    })

  test('the oldest, the newest and the days of vehicles are found, before 1970 too', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const vehicle = { structure: 1, overload: false, license: '', load: 1, record: '{}' }
    const times = [-1, 5, 6, DAY]
    await storage.traffic.write(
      times.map((time) => ({ ...vehicle, time, identity: String(time), details: '{}' })),
    )

    assert.equal(await storage.retention.findOldest('traffic', 1), -1)
    assert.equal(await storage.retention.findNewest('traffic', 1, DAY - 1), 6)
    assert.deepEqual(await countDays(storage, 'traffic'), [
      [-1, 1],
      [0, 2],
      [1, 1],
    ])
  })

  test('the share of a day is kept for each structure and kind', async () => {
    await using place = await newPlace()
    const { retention } = await place.open()
    const share = { grantedAt: 1, until: 2, records: 3 }
    await retention.putShare(1, 'raw', { ...share, records: 9 })
    await retention.putShare(1, 'raw', share)

    assert.deepEqual(await retention.findShare(1, 'raw'), share)
    assert.equal(await retention.findShare(1, 'theme'), undefined)
    assert.equal(await retention.findShare(2, 'raw'), undefined)
  })

  test('the state of the clock is replaced only if it is the one that was read', async () => {
    await using place = await newPlace()
    const { clock } = await place.open()
    assert.equal(await clock.read(), undefined)

    const written = [
      await clock.write(confirmedAt(1), 0),
      await clock.write(confirmedAt(2), 0),
      await clock.write(UNKNOWN_CLOCK, 1),
    ]

    assert.deepEqual(written, [true, false, true])
    assert.deepEqual(await clock.read(), { state: UNKNOWN_CLOCK, version: 2 })
  })

  test('a lease that was taken by a clock far ahead is free when the clock is right', async () => {
    await using place = await newPlace()
    const { leases } = await place.open()
    const take = (holder: string, now: number) =>
      leases.take({ name: 'sealing', holder, now, until: now + 60_000 })
    assert.ok(await take('dead', 3653 * DAY))

    assert.ok(await take('alive', 0))
    assert.ok(!(await take('third', 0)))
    assert.ok(!(await take('third', 59_999)))
    assert.ok(await take('third', 60_000))
  })
}

async function countDays(storage: Storage, kind: 'theme' | 'raw' | 'traffic') {
  const counts = await storage.retention.countDays(kind, 1)
  return counts.toSorted(([a], [b]) => a - b)
}
