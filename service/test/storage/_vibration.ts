import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Storage, VibrationBatch } from '../../src/storage/storage.ts'
import { readRecords, rowsOf, type NewPlace } from './_place.ts'

const NO_RECORD = { sources: [], times: [], records: [] }

const batchOf = (samples: readonly number[], parts: Partial<VibrationBatch> = {}) => ({
  station: 1,
  collectTime: 1_000,
  sampleFreq: '100',
  unit: 'cm/s²',
  samples: Float64Array.from(samples),
  ...parts,
})

async function readSamples(storage: Storage, id: number): Promise<number[]> {
  const samples: number[] = []
  for await (const piece of storage.vibration.readSamples(id))
    for (const sample of piece) samples.push(sample)
  return samples
}

async function readBack(storage: Storage, station = 1, collectTime = 1_000): Promise<number[]> {
  const header = await storage.vibration.find(station, collectTime, collectTime)
  return readSamples(storage, header!.id)
}

export function vibrationFacts(newPlace: NewPlace): void {
  test('a batch is found by its trigger, with what it is served with', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.vibration.write(batchOf([1, 2, 3]), NO_RECORD)
    await storage.vibration.write(batchOf([4], { collectTime: 2_000 }), NO_RECORD)

    const found = await storage.vibration.find(1, 0, 9_000)
    assert.deepEqual(
      { ...found, id: 0 },
      { id: 0, collectTime: 1_000, sampleFreq: '100', unit: 'cm/s²', count: 3 },
    )
    assert.equal((await storage.vibration.find(1, 1_001, 2_000))?.collectTime, 2_000)
    assert.equal((await storage.vibration.find(1, 1_000, 1_000))?.collectTime, 1_000)
    assert.equal(await storage.vibration.find(1, 2_001, 9_000), undefined)
    assert.equal(await storage.vibration.find(2, 0, 9_000), undefined)
    assert.deepEqual(await readSamples(storage, 999_999), [])
  })

  test('samples come back as the same doubles, whether single precision holds them or not', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const single = fc.float({ noNaN: true, noDefaultInfinity: true })
    const double = fc.double({ noNaN: true, noDefaultInfinity: true })
    const waveform = fc.oneof(
      fc.array(single, { minLength: 1, maxLength: 300 }),
      fc.array(double, { minLength: 1, maxLength: 300 }),
      fc.array(fc.oneof(single, double, fc.constantFrom(0, -0, 5e-324, 1.7976931348623157e308)), {
        minLength: 1,
      }),
    )
    await fc.assert(
      fc.asyncProperty(waveform, async (samples) => {
        await storage.vibration.write(batchOf(samples), NO_RECORD)

        // Object.is tells 0 from -0.
        assert.ok((await readBack(storage)).every((sample, at) => Object.is(sample, samples[at])))
        assert.equal((await storage.vibration.find(1, 0, 9_000))?.count, samples.length)
      }),
      { numRuns: 60 },
    )
  })

  for (const count of [65_535, 65_536, 65_537, 200_001])
    test(`${count} samples keep their order over all pieces`, async () => {
      await using place = await newPlace()
      const storage = await place.open()
      for (const step of [1, 0.1]) {
        const samples = Array.from({ length: count }, (_, at) => at * step)
        await storage.vibration.write(batchOf(samples), NO_RECORD)

        assert.deepEqual(await readBack(storage), samples)
      }
    })

  test('a batch of the same station and trigger takes the place of the first, its record too', async () => {
    await using place = await newPlace()
    const storage = await place.open()

    const first = await storage.vibration.write(
      batchOf(Array.from({ length: 70_000 }, () => 1)),
      rowsOf(1, [1_000], () => 1),
    )
    const second = await storage.vibration.write(
      batchOf([0.1, 0.2], { unit: 'g', sampleFreq: '50' }),
      rowsOf(1, [1_000], () => 2),
    )

    assert.deepEqual([first, second], [{ replaced: 0 }, { replaced: 1 }])
    assert.deepEqual(await readBack(storage), [0.1, 0.2])
    const header = await storage.vibration.find(1, 1_000, 1_000)
    assert.deepEqual([header?.unit, header?.sampleFreq, header?.count], ['g', '50', 2])
    assert.deepEqual(await readRecords(storage, { source: 1 }), [
      { v: 2, time: '1970-01-01 00:00:01' },
    ])
  })

  test('a batch whose record cannot be stored is not stored either', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await storage.vibration.write(batchOf([1]), NO_RECORD)
    const wrong = { sources: [1], times: [NaN], records: ['{}'] }

    await assert.rejects(storage.vibration.write(batchOf([2]), wrong))
    await assert.rejects(storage.vibration.write(batchOf([3], { collectTime: 2_000 }), wrong))

    assert.deepEqual(await readBack(storage), [1])
    assert.equal(await storage.vibration.find(1, 2_000, 2_000), undefined)
  })

  test('waveforms are there after opening again', async () => {
    await using place = await newPlace()
    {
      await using storage = await place.open()
      await storage.vibration.write(batchOf([0.5, 0.25]), rowsOf(1, [1_000]))
    }

    const again = await place.open()

    assert.deepEqual(await readBack(again), [0.5, 0.25])
    assert.equal((await readRecords(again, { source: 1 })).length, 1)
  })
}
