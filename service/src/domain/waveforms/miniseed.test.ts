import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { assertDamageIsRefusedOrRead, refusal } from './_damage.ts'
import { encodeMiniSeed, join, type Encoding, type Recording } from './_miniseed.ts'
import { readWaveforms } from './read-waveforms.ts'

const read = (bytes: Uint8Array) => readWaveforms(bytes)
const readOne = (recording: Recording) => {
  const found = read(encodeMiniSeed(recording))
  assert.equal(found.length, 1)
  return found[0]!
}

/** Whole numbers whose differences are now small, now large. */
const wholes = (bits: number) =>
  fc
    .array(
      fc.oneof(
        ...[2, 4, 5, 6, 8, 10, 15, bits].map((bits) =>
          fc.array(fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 }), {
            minLength: 1,
            maxLength: 30,
          }),
        ),
      ),
      { minLength: 1, maxLength: 20 },
    )
    .map((runs) => runs.flat())

const SAMPLES: Readonly<Record<Encoding, fc.Arbitrary<number[]>>> = {
  1: wholes(16),
  3: wholes(32),
  4: fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 300 }),
  5: fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
    minLength: 1,
    maxLength: 300,
  }),
  10: wholes(32),
  11: wholes(29),
}
const NAMES = { 1: 'int16', 3: 'int32', 4: 'float32', 5: 'float64', 10: 'Steim-1', 11: 'Steim-2' }
const ENCODINGS = [1, 3, 4, 5, 10, 11] as const
const START = Date.UTC(2026, 1, 28, 23, 59, 58)
const counts = (count: number): number[] => Array.from({ length: count }, (_, at) => at % 97)

const part = (channel: string, start: number, samples: number[]): Uint8Array =>
  encodeMiniSeed({ channel, samples, encoding: 11, start: START + start })

/** A sound record of two samples with other bytes from a place on. */
function change(at: number, ...values: number[]): Uint8Array {
  const bytes = encodeMiniSeed({ samples: [1, 2], encoding: 3, start: START })
  bytes.set(values, at)
  return bytes
}

describe('miniSEED', () => {
  for (const encoding of ENCODINGS) {
    test(`gives back any samples of ${NAMES[encoding]}, in either byte order`, () => {
      fc.assert(
        fc.property(
          SAMPLES[encoding],
          fc.boolean(),
          fc.integer({ min: 7, max: 12 }),
          (samples, isLittle, lengthPower) => {
            const found = readOne({ samples, encoding, isLittle, lengthPower, start: START })

            assert.deepEqual([...found.samples], samples)
            assert.deepEqual(found.start, { milliseconds: START, nanoseconds: 0 })
            assert.equal(found.sampleHz, 100)
          },
        ),
        { numRuns: runs(300) },
      )
    })

    test(`of ${NAMES[encoding]}, damaged anywhere, is refused or read`, () => {
      const samples = fc.sample(SAMPLES[encoding], { seed: 7, numRuns: 5 }).flat()
      const whole = encodeMiniSeed({ samples, encoding, lengthPower: 8, start: START })

      assertDamageIsRefusedOrRead(whole, { format: 'miniSEED' }, { most: 1000 })
    })
  }

  test('names a channel network.station.location.channel, and no unit', () => {
    const found = readOne({ samples: [1], encoding: 3, channel: 'NP.8040..HNE' })

    assert.deepEqual([found.channel, found.unit], ['NP.8040..HNE', ''])
  })

  test('keeps the microseconds of blockette 1001, of either sign', () => {
    for (const [microseconds, start] of [
      [37, { milliseconds: START + 1, nanoseconds: 237_000 }],
      [-50, { milliseconds: START + 1, nanoseconds: 150_000 }],
    ] as const) {
      const recording = { samples: [1], encoding: 3, start: START, tenThousandths: 12 } as const

      assert.deepEqual(readOne({ ...recording, microseconds }).start, start)
    }
  })

  test('adds a time correction that is not applied yet, and no other', () => {
    const recording = { samples: [1], encoding: 3, start: START, correction: -15 } as const

    const later = { milliseconds: START - 2, nanoseconds: 500_000 }
    assert.deepEqual(readOne(recording).start, later)
    const applied = readOne({ ...recording, isCorrected: true }).start
    assert.deepEqual(applied, { milliseconds: START, nanoseconds: 0 })
  })

  test('has its rate of factor and multiplier, or of blockette 100', () => {
    for (const [factor, multiplier, sampleHz] of [
      [200, 1, 200],
      [33, 10, 330],
      [100, -3, 100 / 3],
      [-10, 1, 0.1],
      [-10, 5, 0.5],
      [-10, -2, 0.05],
    ] as const) {
      const recording = { samples: [1], encoding: 3, factor, multiplier } as const

      assert.ok(Math.abs(readOne(recording).sampleHz - sampleHz) < 1e-12, `${factor} ${multiplier}`)
    }
    assert.equal(readOne({ samples: [1], encoding: 11, actualHz: 99.5 }).sampleHz, 99.5)
  })

  test('is split where records leave a gap or overlap by more than half a period', () => {
    for (const [second, lengths] of [
      [30, [6]],
      [34.9, [6]],
      [25.1, [6]],
      [35.1, [3, 3]],
      [24.9, [3, 3]],
      [0, [3, 3]],
      [4000, [3, 3]],
    ] as const) {
      const found = read(
        join([part('A.B..Z', 0, [10, 11, 12]), part('A.B..Z', second, [20, 21, 22])]),
      )

      assert.deepEqual(
        found.map(({ samples }) => samples.length),
        lengths,
        String(second),
      )
    }
  })

  test('is split where small steps of many records add up to half a period', () => {
    const records = Array.from({ length: 10 }, (_, at) =>
      encodeMiniSeed({ samples: [1, 2], encoding: 3, start: START + at * 22 }),
    )

    const lengths = read(join(records)).map(({ samples }) => samples.length)

    assert.deepEqual(lengths, [6, 6, 6, 2])
  })

  test('is joined more loosely or not at all, as the tolerance says', () => {
    const bytes = join(
      [0, 25].map((start) =>
        encodeMiniSeed({ samples: [1, 2], encoding: 3, start: START + start }),
      ),
    )
    const count = (gapTolerance: number) =>
      readWaveforms(bytes, { miniSeed: { gapTolerance } }).length

    assert.deepEqual([0.4, 0.6].map(count), [2, 1])
  })

  test('is joined by channel and in order of time, however its records lie', () => {
    const bytes = join([
      part('A.B..Z', 20, [3, 4]),
      part('A.B..N', 0, [7, 8]),
      part('A.B..Z', 0, [1, 2]),
      part('A.B..N', 20, [9]),
    ])

    const found = read(bytes).map(({ channel, samples }) => [channel, [...samples]])

    assert.deepEqual(found, [
      ['A.B..Z', [1, 2, 3, 4]],
      ['A.B..N', [7, 8, 9]],
    ])
  })

  test('is not joined where the rate or the kind of numbers changes', () => {
    const first = encodeMiniSeed({ samples: [1, 2], encoding: 3, start: START })
    for (const other of [{ factor: 101 }, { encoding: 4 }] as const) {
      const next = { samples: [3], encoding: 3, start: START + 20, ...other } as const

      assert.equal(read(join([first, encodeMiniSeed(next)])).length, 2)
    }
  })

  test('with a last sample that is not the one it says is refused by its record', () => {
    for (const encoding of [10, 11] as const) {
      const bytes = encodeMiniSeed({ samples: counts(900), encoding, start: START })
      bytes[512 + 64 + 11]! ^= 1

      assert.throws(() => read(bytes), refusal(/^record 2 at byte 512 ends with .+ own check/))
    }
  })

  test('takes the two samples beside the codes of a first frame for no differences', () => {
    const bytes = encodeMiniSeed({ samples: counts(20), encoding: 11, start: START })
    bytes[64]! |= 0b0001_0100

    assert.deepEqual([...read(bytes)[0]!.samples], counts(20))
  })

  test('with fewer differences than samples is refused', () => {
    const bytes = encodeMiniSeed({ samples: [1, 2, 3], encoding: 10, start: START })
    bytes[31] = 9

    assert.throws(() => read(bytes), refusal(/^record 1 at byte 0 has 3 differences, expected 9/))
  })

  test('with more samples announced than its bytes can hold is refused', () => {
    for (const encoding of ENCODINGS) {
      const bytes = encodeMiniSeed({ samples: [1, 2], encoding, start: START })
      bytes.set([0xff, 0xff], 30)

      assert.throws(() => read(bytes), refusal(/announces 65535 samples of .+ cannot hold them/))
    }
  })

  test('cut off within a record is refused as truncated', () => {
    const bytes = encodeMiniSeed({ samples: counts(2000), encoding: 3, start: START })

    const message = /^record 3 at byte 1024 has 276 bytes, expected 512: truncated/
    assert.throws(() => read(bytes.subarray(0, 1300)), refusal(message))
  })

  test('with a value that is no number is refused', () => {
    for (const encoding of [4, 5] as const) {
      const bytes = encodeMiniSeed({ samples: [1, NaN], encoding })

      assert.throws(() => read(bytes), refusal(/^record 1 at byte 0: sample 2 is NaN/))
    }
  })

  test('of an encoding, a version, a rate or a time that cannot be read is refused by it', () => {
    for (const [bytes, message] of [
      [change(52, 0), /has encoding 0, expected 1 \(int16\), .+11 \(Steim-2\)/],
      [change(32, 0, 0), /sample rate is 0 Hz/],
      [change(32, 0x7f, 0xff, 0x7f, 0xff), /sample rate is 1073676289 Hz/],
      [change(6, 86), /control header of full SEED/],
      [change(0, 77, 83, 3), /miniSEED 3/],
      [change(20, 0, 0), /year is 0/],
      [change(24, 25), /expected a real time/],
      [change(48, 0, 1), /no blockette 1000/],
      [change(50, 0, 48), /a blockette is announced at 48/],
      [change(54, 60), /length is 2 to the power of 60/],
      [change(44, 9, 9), /data begins at 2313/],
      [change(30, 0, 0), /no record of the file has samples/],
    ] as const) {
      assert.throws(() => readWaveforms(bytes, { format: 'miniSEED' }), refusal(message))
    }
  })
})
