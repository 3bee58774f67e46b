import assert from 'node:assert/strict'
import test from 'node:test'
import type { NewPlace } from './_place.ts'
import { idsOf } from './_sample-delivery.ts'

export function maintenanceFacts(newPlace: NewPlace): void {
  test('maintenance windows are listed newest first, only running ones on demand', async () => {
    await using place = await newPlace()
    const { maintenance } = await place.open()
    const window = { structures: [1, 2], stations: [], startsAt: 100, endsAt: 200, reason: '换缆' }

    const first = await maintenance.add({ ...window, createdAt: 50 })
    const second = await maintenance.add({
      ...window,
      structures: [],
      stations: [9],
      endsAt: 300,
      createdAt: 60,
    })

    const [newest, oldest] = await maintenance.list({ limit: 10 })
    assert.deepEqual(oldest, { ...window, id: first, createdAt: 50, endedAt: null })
    assert.deepEqual([newest!.id, newest!.stations, newest!.structures], [second, [9], []])
    assert.deepEqual(idsOf(await maintenance.list({ since: 201, limit: 10 })), [second])
    assert.deepEqual(idsOf(await maintenance.list({ since: 200, limit: 1 })), [second])
  })

  test('a window ends once, before the given instant; one that has not begun never starts', async () => {
    await using place = await newPlace()
    const { maintenance } = await place.open()
    const window = {
      structures: [],
      stations: [],
      startsAt: 100,
      endsAt: 200,
      reason: 'x',
      createdAt: 1,
    }
    const [running, coming, over] = [
      await maintenance.add(window),
      await maintenance.add(window),
      await maintenance.add(window),
    ]

    assert.equal(await maintenance.end(running!, 150), true)
    assert.equal(await maintenance.end(running!, 160), false)
    assert.equal(await maintenance.end(coming!, 50), true)
    assert.equal(await maintenance.end(over!, 201), false)
    assert.equal(await maintenance.end(99, 150), false)

    assert.deepEqual(
      (await maintenance.list({ limit: 10 })).map(({ endsAt, endedAt }) => [endsAt, endedAt]),
      [
        [200, null],
        [49, 50],
        [149, 150],
      ],
    )
  })
}
