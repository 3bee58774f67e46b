import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { chunkSamples } from '../../src/domain/vibration/sample-chunks.ts'
import type {
  WaveformPlace,
  Storage,
  NewWaveform,
  StoredWaveform,
} from '../../src/storage/storage.ts'
import { readRecords, rowsOf, type NewPlace } from './_place.ts'
import { putWaveform, putWaveforms } from '../_waveforms.ts'

const NO_RECORD = () => ({ sources: [], times: [], records: [] })

const NO_TIME = () => ({ sources: [1], times: [null as never], records: ['{}'] })

const recordOfBatch = ({ collectTime }: WaveformPlace) => rowsOf(1, [collectTime])

const at = (time: number, nanoseconds = 0) => ({ trigger: { time, nanoseconds } })

const batchOf = (samples: readonly number[], parts: Partial<NewWaveform> = {}) => ({
  station: 1,
  ...at(1_000),
  sampleFreq: '100',
  unit: 'cm/s²',
  samples: Float64Array.from(samples),
  ...parts,
})

async function readSamples(storage: Storage, batch: StoredWaveform): Promise<number[]> {
  const samples: number[] = []
  for await (const chunk of storage.waveforms.readSamples(batch))
    for (const sample of chunk) samples.push(sample)
  return samples
}

async function readBack(storage: Storage, station = 1, collectTime = 1_000): Promise<number[]> {
  const header = await storage.waveforms.find(station, collectTime, collectTime)
  return readSamples(storage, header!)
}

export function vibrationFacts(newPlace: NewPlace): void {
  test('a waveform is found by its trigger, with its metadata', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await putWaveform(storage, batchOf([1, 2, 3]), NO_RECORD)
    await putWaveform(storage, batchOf([4], at(2_000)), NO_RECORD)

    const found = await storage.waveforms.find(1, 0, 9_000)
    assert.deepEqual(
      { ...found, id: 0 },
      {
        id: 0,
        station: 1,
        collectTime: 1_000,
        ...at(1_000),
        sampleFreq: '100',
        unit: 'cm/s²',
        count: 3,
      },
    )
    assert.deepEqual(await storage.waveforms.findById(found!.id), found)
    assert.equal(await storage.waveforms.findById(found!.id + 7), undefined)
    assert.equal((await storage.waveforms.find(1, 1_001, 2_000))?.collectTime, 2_000)
    assert.equal((await storage.waveforms.find(1, 1_000, 1_000))?.collectTime, 1_000)
    assert.equal(await storage.waveforms.find(1, 2_001, 9_000), undefined)
    assert.equal(await storage.waveforms.find(2, 0, 9_000), undefined)
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
        await putWaveform(storage, batchOf(samples), NO_RECORD)

        // Object.is distinguishes 0 from -0.
        assert.ok(
          (await readBack(storage)).every((sample, index) => Object.is(sample, samples[index])),
        )
        assert.equal((await storage.waveforms.find(1, 0, 9_000))?.count, samples.length)
      }),
      { numRuns: runs(60) },
    )
  })

  for (const count of [250, 251, 252, 64_256, 64_257, 200_001])
    test(`${count} samples keep their order over all chunks`, async () => {
      await using place = await newPlace()
      const storage = await place.open()
      for (const step of [1, 0.1]) {
        const samples = Array.from({ length: count }, (_, index) => index * step)
        await putWaveform(storage, batchOf(samples), NO_RECORD)

        assert.deepEqual(await readBack(storage), samples)
      }
    })

  test('a waveform of the same station and trigger replaces the first with its record', async () => {
    await using place = await newPlace()
    const storage = await place.open()

    const first = await putWaveform(
      storage,
      batchOf(Array.from({ length: 70_000 }, () => 1)),
      ({ collectTime }) => rowsOf(1, [collectTime], () => 1),
    )
    const second = await putWaveform(
      storage,
      batchOf([0.1, 0.2], { unit: 'g', sampleFreq: '50' }),
      ({ collectTime }) => rowsOf(1, [collectTime], () => 2),
    )

    assert.deepEqual(
      [first, second],
      [0, 1].map((replaced) => ({ replaced, collectTime: 1_000 })),
    )
    assert.deepEqual(await readBack(storage), [0.1, 0.2])
    const header = await storage.waveforms.find(1, 1_000, 1_000)
    assert.deepEqual([header?.unit, header?.sampleFreq, header?.count], ['g', '50', 2])
    assert.deepEqual(await readRecords(storage, { source: 1 }), [
      { v: 2, time: '1970-01-01 00:00:01' },
    ])
  })

  test('a waveform whose record cannot be stored is not stored', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await putWaveform(storage, batchOf([1]), NO_RECORD)
    const rows = { sources: [1], times: [NaN], records: ['{}'] }
    const wrong = () => rows

    await assert.rejects(putWaveform(storage, batchOf([2]), wrong))
    await assert.rejects(putWaveform(storage, batchOf([3], at(2_000)), wrong))

    assert.deepEqual(await readBack(storage), [1])
    assert.equal(await storage.waveforms.find(1, 2_000, 2_000), undefined)
  })

  test('a waveform that arrives in any chunks is stored as its numbers are, sent any number of times', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    for (const samples of [[1, -2.5, 3], Array.from({ length: 5_000 }, (_, n) => n / 10)]) {
      const batch = { ...batchOf([]), samples: chunkSamples(Float64Array.from(samples)) }
      await assert.rejects(putWaveform(storage, batch, NO_TIME))

      await putWaveform(storage, batch, NO_RECORD)
      await putWaveform(storage, batch, NO_RECORD)

      assert.deepEqual(await readBack(storage), samples)
    }
  })

  test('waveforms persist after reopening', async () => {
    await using place = await newPlace()
    {
      await using storage = await place.open()
      await putWaveform(storage, batchOf([0.5, 0.25]), ({ collectTime }) =>
        rowsOf(1, [collectTime]),
      )
    }

    const again = await place.open()

    assert.deepEqual(await readBack(again), [0.5, 0.25])
    assert.equal((await readRecords(again, { source: 1 })).length, 1)
  })

  test('several waveforms are stored together, each under a second of its own', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await putWaveform(storage, batchOf([1], at(1_500)), recordOfBatch)

    const outcomes = await putWaveforms(storage, [
      { batch: batchOf([2], at(1_600)), records: recordOfBatch },
      { batch: batchOf([3], at(1_700)), records: recordOfBatch },
      { batch: batchOf([4], at(1_500)), records: recordOfBatch },
      { batch: batchOf([5], at(1_600)), records: recordOfBatch },
    ])

    assert.deepEqual(
      outcomes.map(({ replaced, collectTime }) => [replaced, collectTime]),
      [
        [0, 2_000],
        [0, 3_000],
        [1, 1_000],
        [1, 2_000],
      ],
    )
    const found = [1_000, 2_000, 3_000].map((second) => readBack(storage, 1, second))
    assert.deepEqual(await Promise.all(found), [[4], [5], [3]])
    assert.equal((await readRecords(storage, { source: 1 })).length, 3)
  })

  test('of several waveforms one that cannot be stored prevents all', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await assert.rejects(
      putWaveforms(storage, [
        { batch: batchOf([1]), records: recordOfBatch },
        { batch: batchOf([2], at(2_000)), records: NO_TIME },
      ]),
    )

    assert.equal(await storage.waveforms.find(1, 0, 9_000), undefined)
    assert.deepEqual(await readRecords(storage, { source: 1 }), [])
  })

  test('a record that no longer belongs to a waveform is removed with it', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    await putWaveform(storage, batchOf([1]), () => rowsOf(2, [1_000, 5_000]))

    await putWaveform(storage, batchOf([2]), ({ collectTime, isReplacement }) => ({
      ...rowsOf(1, [collectTime]),
      deletions: { sources: [2], times: isReplacement ? [collectTime] : [] },
    }))

    assert.equal((await readRecords(storage, { source: 1 })).length, 1)
    assert.deepEqual(
      (await readRecords(storage, { source: 2 })).map(({ time }) => time),
      ['1970-01-01 00:00:05'],
    )
  })

  test('two waveforms in one second are both stored, each under a second of its own', async () => {
    await using place = await newPlace()
    const storage = await place.open()
    const write = (samples: number[], time: number, nanoseconds = 0) =>
      putWaveform(storage, batchOf(samples, at(time, nanoseconds)), ({ collectTime }) =>
        rowsOf(1, [collectTime], () => samples[0]!),
      )

    const first = await write([1], 1_900)
    const second = await write([2], 1_100)
    const third = await write([3], 1_100, 5)
    const next = await write([4], 2_500)
    const again = await write([5, 5], 1_100)

    assert.deepEqual(
      [first, second, third, next, again].map(({ collectTime }) => collectTime),
      [1_000, 2_000, 3_000, 4_000, 2_000],
    )
    assert.equal(again.replaced, 1)
    for (const [time, samples] of [
      [1_000, [1]],
      [2_000, [5, 5]],
      [3_000, [3]],
      [4_000, [4]],
    ] as const)
      assert.deepEqual(await readBack(storage, 1, time), samples)
    assert.deepEqual(
      (await storage.waveforms.list({ station: 1, from: 0, to: 9_000, limit: 3 })).map(
        ({ collectTime, trigger }) => [collectTime, trigger.time, trigger.nanoseconds],
      ),
      [
        [4_000, 2_500, 0],
        [3_000, 1_100, 5],
        [2_000, 1_100, 0],
      ],
    )
    assert.deepEqual(
      (await readRecords(storage, { source: 1 })).map(({ v }) => v),
      [1, 5, 3, 4],
    )
  })

  test('of many concurrent waveforms for one second none is lost', async () => {
    await using place = await newPlace()
    const storage = await place.open()

    const written = await Promise.all(
      Array.from({ length: 90 }, (_, index) =>
        putWaveform(storage, batchOf([index], at(1_000 + index)), NO_RECORD),
      ),
    )

    const seconds = written.map(({ collectTime }) => collectTime).toSorted((a, b) => a - b)
    assert.deepEqual(
      seconds,
      Array.from({ length: 90 }, (_, index) => 1_000 + 1_000 * index),
    )
    for (const [index, { collectTime }] of written.entries())
      assert.deepEqual(await readBack(storage, 1, collectTime), [index])
  })
}
