import assert from 'node:assert/strict'
import test from 'node:test'
import type { NewPlace } from './_place.ts'
import { idsOf, NOTHING } from './_sample-delivery.ts'

const JPEG = new Uint8Array([0xff, 0xd8, 0, 1, 2, 0xff, 0xd9])

const due = (alarm: number, camera = 7) => ({ alarm, camera, dueAt: 1000 + alarm })

export function snapshotFacts(newPlace: NewPlace): void {
  test('snapshots wait in order, from the plan of the outbox on', async () => {
    await using place = await newPlace()
    const { outbox, snapshots } = await place.open()

    await outbox.fanOut({ ...NOTHING, snapshots: [due(5), due(6, 8), due(5, 9)] })

    const waiting = await snapshots.listWaiting(10)
    assert.deepEqual(
      waiting.map(({ id: _id, ...one }) => one),
      [due(5), due(6, 8), due(5, 9)],
    )
    assert.deepEqual(idsOf(await snapshots.listWaiting(1)), [waiting[0]?.id])
    assert.deepEqual(
      (await snapshots.list(5)).map(({ camera, takenAt, problem }) => [camera, takenAt, problem]),
      [
        [7, null, null],
        [9, null, null],
      ],
    )
    assert.deepEqual(await snapshots.list(99), [])
  })

  test('snapshots share a picture, which only their alarms lead to', async () => {
    await using place = await newPlace()
    const { outbox, snapshots } = await place.open()
    await outbox.fanOut({ ...NOTHING, snapshots: [due(5), due(6), due(7)] })
    const [first, second, third] = await snapshots.listWaiting(10)
    assert.ok(first && second && third)

    await snapshots.take([first, second], { camera: 7, takenAt: 5000, jpeg: JPEG })
    await snapshots.take([third], { camera: 7, takenAt: 6000, jpeg: JPEG.slice(0, 2) })

    assert.deepEqual(await snapshots.listWaiting(10), [])
    assert.deepEqual(await snapshots.list(6), [
      { id: second.id, camera: 7, takenAt: 5000, problem: null },
    ])
    const picture = await snapshots.findPicture(6, second.id)
    assert.deepEqual(Array.from(picture ?? []), Array.from(JPEG))
    assert.deepEqual((await snapshots.findPicture(7, third.id))?.length, 2)
    assert.equal(await snapshots.findPicture(5, second.id), undefined)
    assert.equal(await snapshots.findPicture(6, 99), undefined)
  })

  test('a snapshot without a picture has its reason, and one that has ended stays as it is', async () => {
    await using place = await newPlace()
    const { outbox, snapshots } = await place.open()
    await outbox.fanOut({ ...NOTHING, snapshots: [due(5), due(6)] })
    const waiting = await snapshots.listWaiting(10)
    const [first] = waiting
    assert.ok(first)

    await snapshots.giveUp([first], { at: 5000, problem: 'The camera sent nothing. 无画面' })
    await snapshots.take(waiting, { camera: 7, takenAt: 6000, jpeg: JPEG })

    assert.deepEqual(await snapshots.list(5), [
      { id: first.id, camera: 7, takenAt: null, problem: 'The camera sent nothing. 无画面' },
    ])
    assert.equal(await snapshots.findPicture(5, first.id), undefined)
    assert.equal((await snapshots.list(6))[0]?.takenAt, 6000)
    assert.deepEqual(await snapshots.listWaiting(10), [])
  })

  test('snapshots and pictures are kept', async () => {
    await using place = await newPlace()
    const { outbox, snapshots } = await place.open()
    await outbox.fanOut({ ...NOTHING, snapshots: [due(5)] })
    await snapshots.take(await snapshots.listWaiting(1), { camera: 7, takenAt: 1, jpeg: JPEG })

    const again = await place.open()

    const [listed] = await again.snapshots.list(5)
    assert.ok(listed)
    assert.equal((await again.snapshots.findPicture(5, listed.id))?.length, JPEG.length)
  })
}
