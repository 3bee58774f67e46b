import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { readRecords, rowsOf, type NewPlace } from './_place.ts'
import { putWaveforms, type PlacedWaveform } from '../_waveforms.ts'

const BEGINNING = { kind: 'import', description: 'bridge.mseed', startedAt: 5 } as const

const STATIONS = [1, 2]

/** Also of a station that tracks its waveforms, where the place is not taken. */
const writeOf = (station: number, second: number, value: number, count = 3): PlacedWaveform => ({
  batch: {
    station,
    trigger: { time: second * 1000, nanoseconds: 5 },
    sampleFreq: String(value + 1),
    unit: `u${value}`,
    samples: new Float64Array(count).fill(value),
  },
  records: ({ collectTime }) => {
    const sources = [station, station + 10]
    const rows = sources.map((source) => rowsOf(source, [collectTime], () => value))
    return {
      sources,
      times: rows.flatMap(({ times }) => times),
      records: rows.flatMap(({ records }) => records),
    }
  },
})

async function readAll(storage: Storage) {
  return Promise.all(
    STATIONS.map(async (station) => {
      const query = { station, from: 0, to: 9e15, limit: 100 }
      const batches = await storage.waveforms.list(query)
      const waves = batches.map(async (batch) => {
        const chunks = await Array.fromAsync(storage.waveforms.readSamples(batch))
        return { ...batch, samples: chunks.flatMap((chunk) => [...chunk]) }
      })
      const records = [station, station + 10].map((source) => readRecords(storage, { source }))
      return [await Promise.all(waves), await Promise.all(records)]
    }),
  )
}

async function undoAll(storage: Storage, change: number) {
  const all = { removed: 0, restored: 0, left: 0, waveforms: { removed: 0, restored: 0, left: 0 } }
  while (true) {
    const { removed, restored, left, waveforms, isDone } = await storage.changes.undo(change, {
      limit: 2,
      now: 99,
    })
    all.removed += removed
    all.restored += restored
    all.left += left
    all.waveforms.removed += waveforms.removed
    all.waveforms.restored += waveforms.restored
    all.waveforms.left += waveforms.left
    if (isDone) return all
  }
}

export function batchChangeFacts(newPlace: NewPlace): void {
  test('undoing a change removes its waveforms and restores those it replaced, with their records', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await putWaveforms(storage, [writeOf(1, 10, 1, 70_000)])
    const before = await readAll(storage)
    const change = await storage.changes.begin(BEGINNING)
    await putWaveforms(storage, [writeOf(1, 10, 2), writeOf(1, 20, 2)], { change })
    await putWaveforms(storage, [writeOf(2, 10, 3), writeOf(1, 10, 3)], { change })
    const [listed] = await storage.changes.list()

    const outcome = await undoAll(storage, change)

    assert.deepEqual([listed!.records, listed!.waveforms], [6, 3])
    assert.deepEqual(outcome, {
      removed: 4,
      restored: 2,
      left: 0,
      waveforms: { removed: 2, restored: 1, left: 0 },
    })
    assert.deepEqual(await readAll(storage), before)
    const [undone] = await storage.changes.list()
    assert.deepEqual([undone!.records, undone!.waveforms, undone!.undoneAt], [0, 0, 99])
  })

  test('a waveform that was sent after a change stays with its records, also an equal one', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await putWaveforms(storage, [writeOf(1, 10, 1)])
    const change = await storage.changes.begin(BEGINNING)
    await putWaveforms(storage, [writeOf(1, 10, 2), writeOf(1, 20, 2)], { change })
    await putWaveforms(storage, [writeOf(1, 10, 2)])
    await storage.retention.expire({ kind: 'vibration', source: 1, before: 0, limit: 9 })
    const [[waves, records]] = (await readAll(storage)) as [[unknown[], unknown[][]]]

    const outcome = await undoAll(storage, change)

    assert.deepEqual(outcome, {
      removed: 2,
      restored: 0,
      left: 2,
      waveforms: { removed: 1, restored: 0, left: 1 },
    })
    const [[leftWaves, leftRecords]] = (await readAll(storage)) as [[unknown[], unknown[][]]]
    assert.deepEqual(leftWaves, waves.slice(1))
    assert.deepEqual(
      leftRecords,
      records.map((list) => list.slice(0, 1)),
    )
  })

  test('waveforms that retention has deleted are not restored', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await putWaveforms(storage, [writeOf(1, 10, 1)])
    const change = await storage.changes.begin(BEGINNING)
    await putWaveforms(storage, [writeOf(1, 10, 2)], { change })
    await storage.retention.expire({ kind: 'vibration', source: 1, before: 9e12, limit: 9 })

    const outcome = await undoAll(storage, change)

    assert.deepEqual(outcome.waveforms, { removed: 0, restored: 0, left: 1 })
    assert.deepEqual(await storage.waveforms.find(1, 0, 9e15), undefined)
  })

  test('an expired change leaves its waveforms as they are', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await putWaveforms(storage, [writeOf(1, 10, 1)])
    const change = await storage.changes.begin(BEGINNING)
    const seconds = Array.from({ length: 20 }, (_, at) => 10 * (at + 1))
    await putWaveforms(
      storage,
      seconds.map((second) => writeOf(1, second, 2)),
      { change },
    )
    const before = await readAll(storage)

    const steps = []
    do steps.push(await storage.changes.expire(50, 100))
    while (!steps.at(-1)!.isDone)

    // A few of them at a time.
    assert.deepEqual(steps, [
      { isDone: false, changes: 0 },
      { isDone: true, changes: 1 },
    ])
    assert.deepEqual(await readAll(storage), before)
    assert.deepEqual(await storage.changes.list(), [])
  })

  test('undoing any changes of waveforms in reverse order restores all', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const wave = fc.record({
      station: fc.constantFrom(...STATIONS),
      second: fc.integer({ min: 1, max: 3 }),
      value: fc.integer({ min: 0, max: 9 }),
    })
    const steps = fc.array(fc.array(wave, { maxLength: 4 }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(steps, async (changes) => {
        const states: { change: number; before: unknown }[] = []
        for (const waves of changes) {
          const change = await storage.changes.begin(BEGINNING)
          states.push({ change, before: await readAll(storage) })
          const writes = waves.map(({ station, second, value }) => writeOf(station, second, value))
          for (const write of writes) await putWaveforms(storage, [write], { change })
        }

        for (const { change, before } of states.toReversed()) {
          const outcome = await undoAll(storage, change)
          assert.deepEqual([outcome.left, outcome.waveforms.left], [0, 0])
          assert.deepEqual(await readAll(storage), before)
        }
      }),
      { numRuns: runs(40) },
    )
  })
}
