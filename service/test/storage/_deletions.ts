import assert from 'node:assert/strict'
import test from 'node:test'
import type { Storage } from '../../src/storage/storage.ts'
import { EVER, gather, rowsOf, type NewPlace } from './_place.ts'
import { putWaveform } from '../_waveforms.ts'

const BEGINNING = { kind: 'deletion', description: 'station 1', startedAt: 5 } as const

const write = (storage: Storage, second: number, nanoseconds = 0) =>
  putWaveform(
    storage,
    {
      station: 1,
      trigger: { time: second * 1000, nanoseconds },
      sampleFreq: '100',
      unit: 'g',
      samples: Float64Array.of(second, 2),
    },
    ({ collectTime }) => rowsOf(1, [collectTime]),
  )

const vehicle = (time: number, identity = String(time), load = 1) => ({
  structure: 1,
  time,
  identity,
  overload: false,
  license: 'A',
  load,
  record: `{"time":${time},"load":${load}}`,
  details: '{}',
})

const vehicles = async (storage: Storage) =>
  (JSON.parse(await gather(storage.traffic.read({ structure: 1, ...EVER }))) as any[]).map(
    ({ time, load }) => [time, load],
  )

async function undoAll(storage: Storage, change: number) {
  const sum = { restored: 0, left: 0, waveforms: { restored: 0, left: 0 } }
  for (let isDone = false; !isDone;) {
    const step = await storage.changes.undo(change, { limit: 2, now: 9 })
    sum.restored += step.restored
    sum.left += step.left
    sum.waveforms.restored += step.waveforms.restored
    sum.waveforms.left += step.waveforms.left
    isDone = step.isDone
  }
  return sum
}

/** Waveforms and vehicles that are removed, and come back. */
export function deletionFacts(newPlace: NewPlace): void {
  test('a removed waveform is not restored where another one has its second', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const change = await storage.changes.begin(BEGINNING)
    await write(storage, 1)
    await write(storage, 2)
    const span = { station: 1, from: 0, to: 9000, withRecordsOf: [] }

    const removed = await storage.waveforms.removeSome(span, { change })
    const none = await storage.waveforms.removeSome(span, { change })
    const another = await write(storage, 1, 5)
    const undone = await undoAll(storage, change)

    assert.deepEqual([removed, none], [2, 0])
    assert.equal(another.collectTime, 1000)
    assert.deepEqual(undone, { restored: 1, left: 1, waveforms: { restored: 1, left: 1 } })
    assert.equal(await storage.waveforms.count(span), 2)
  })

  test('a waveform that is removed during a read is gone, not damaged', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const change = await storage.changes.begin(BEGINNING)
    await write(storage, 1)
    const header = await storage.waveforms.find(1, 0, 9000)
    const span = { station: 1, from: 0, to: 9000, withRecordsOf: [] }

    await storage.waveforms.removeSome(span, { change })

    await assert.rejects(Array.fromAsync(storage.waveforms.readSamples(header!)), {
      name: 'RefusedError',
      message: 'The vibration batch was deleted or replaced while it was read.',
    })
  })

  test('a removed waveform that was sent again is kept, and the removed one is deleted with the change', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const change = await storage.changes.begin(BEGINNING)
    await write(storage, 1)
    await storage.waveforms.removeSome(
      { station: 1, from: 0, to: 9000, withRecordsOf: [] },
      { change },
    )
    await write(storage, 1)

    const { waveforms } = await undoAll(storage, change)

    assert.deepEqual(waveforms, { restored: 0, left: 1 })
    const [batch] = await storage.waveforms.list({ station: 1, from: 0, to: 9000, limit: 9 })
    assert.equal((await Array.fromAsync(storage.waveforms.readSamples(batch!))).length, 1)
  })

  test('removed vehicles are restored, except one that was sent again', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const change = await storage.changes.begin(BEGINNING)
    await storage.traffic.write([1, 2, 3, 4, 5].map((time) => vehicle(time)))
    const span = { structure: 1, from: 2, to: 4 }

    const removed = [
      await storage.traffic.removeSome({ ...span, limit: 2, change }),
      await storage.traffic.removeSome({ ...span, limit: 2, change }),
      await storage.traffic.removeSome({ ...span, limit: 2, change }),
    ]
    const left = await vehicles(storage)
    const [listed] = await storage.changes.list()
    await storage.traffic.write([vehicle(3, '3', 7)])
    const undone = await undoAll(storage, change)

    assert.deepEqual(removed, [2, 1, 0])
    assert.deepEqual(left, [
      [1, 1],
      [5, 1],
    ])
    assert.equal(listed!.records, 3)
    assert.deepEqual([undone.restored, undone.left], [2, 1])
    assert.deepEqual(
      (await vehicles(storage)).map(([, load]) => load),
      [1, 1, 7, 1, 1],
    )
    assert.equal((await storage.changes.list())[0]!.undoneAt, 9)
  })

  test('removed records are deleted with their change, a few at a time', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const change = await storage.changes.begin(BEGINNING)
    await storage.traffic.write([1, 2, 3].map((time) => vehicle(time)))
    await storage.traffic.removeSome({ structure: 1, from: 0, to: 9, limit: 9, change })

    const first = await storage.changes.expire(6, 2)
    const second = await storage.changes.expire(6, 2)

    assert.deepEqual(first, { isDone: false, changes: 0 })
    assert.deepEqual(second, { isDone: true, changes: 1 })
    assert.deepEqual(await vehicles(storage), [])
    assert.deepEqual(await storage.changes.list(), [])
  })
}
