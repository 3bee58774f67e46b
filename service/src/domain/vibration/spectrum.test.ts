import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { RefusedError } from '../../errors/refused-error.ts'
import { spectrum } from './spectrum.ts'

const LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 64, 100, 101, 720, 1000, 1021, 1024]

/** A waveform that repeats exactly from run to run: noise with a mean and one strong line. */
function waveform(count: number): Float64Array {
  let state = 12_345
  return Float64Array.from({ length: count }, (_, n) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return 7 + state / 2 ** 31 + 2 * Math.cos((2 * Math.PI * ((3 * n) % count)) / count)
  })
}

function sine(count: number, amplitude: number, bin: number): Float64Array {
  return Float64Array.from({ length: count }, (_, n) => {
    const turns = (bin * n) / count
    return amplitude * Math.sin(2 * Math.PI * (turns - Math.floor(turns)))
  })
}

/** The amplitudes by their definition. */
function naive(samples: Float64Array): number[] {
  const count = samples.length
  const mean = samples.reduce((sum, sample) => sum + sample, 0) / count
  return Array.from({ length: Math.floor(count / 2) + 1 }, (_, k) => {
    let real = 0
    let imaginary = 0
    for (let n = 0; n < count; n++) {
      const angle = (2 * Math.PI * ((k * n) % count)) / count
      real += (samples[n]! - mean) * Math.cos(angle)
      imaginary -= (samples[n]! - mean) * Math.sin(angle)
    }
    const sides = k === 0 ? 0 : 2 * k === count ? 1 : 2
    return (sides * Math.hypot(real, imaginary)) / count
  })
}

/** One amplitude by its definition; of all these lengths n k is a whole number below 2^53. */
function naiveLine(samples: Float64Array, mean: number, k: number): number {
  const count = samples.length
  let real = 0
  let imaginary = 0
  for (let n = 0; n < count; n++) {
    const angle = (2 * Math.PI * ((n * k) % count)) / count
    real += (samples[n]! - mean) * Math.cos(angle)
    imaginary -= (samples[n]! - mean) * Math.sin(angle)
  }
  return ((2 * k === count ? 1 : 2) * Math.hypot(real, imaginary)) / count
}

/** The amplitude of a sine at bin k, from the sum of its geometric series. */
function closedForm(count: number, amplitude: number, bin: number, k: number): number {
  const side = (distance: number): [number, number] => {
    const phase = (Math.PI * (count - 1) * distance) / count
    const kernel = Math.sin(Math.PI * distance) / Math.sin((Math.PI * distance) / count)
    return [kernel * Math.cos(phase), kernel * Math.sin(phase)]
  }
  const [left, right] = [side(bin - k), side(-bin - k)]
  const sides = 2 * k === count ? 1 : 2
  return (sides * amplitude * Math.hypot(left[0] - right[0], left[1] - right[1])) / (2 * count)
}

function assertClose(actual: Iterable<number>, expected: ArrayLike<number>, limit: number): void {
  for (const [k, value] of [...actual].entries()) {
    assert.ok(Math.abs(value - expected[k]!) <= limit, `bin ${k}: ${value} and ${expected[k]}`)
  }
}

describe('a spectrum', () => {
  for (const count of LENGTHS) {
    test(`of ${count} samples agrees with the definition to 1e-13 of the peak`, () => {
      const samples = waveform(count)
      const expected = naive(samples)
      const { amplitude } = spectrum(samples, 100)

      assert.equal(amplitude.length, Math.floor(count / 2) + 1)
      assertClose(amplitude, expected, 1e-13 * Math.max(...expected))
      assert.equal(amplitude[0], 0)
    })
  }

  for (const count of [12_799, 12_800, 65_536, 1_000_000]) {
    test(`of ${count} samples has the amplitude of a sine on its bin, and 0 elsewhere`, () => {
      const { amplitude, frequency } = spectrum(sine(count, 2.5, 1234), 200)

      const expected = new Float64Array(amplitude.length)
      expected[1234] = 2.5
      assertClose(amplitude, expected, 2.5e-12)
      assert.equal(frequency(1234), (1234 * 200) / count)
    })
  }

  for (const count of [999_983, 1_000_000, 1_048_576]) {
    test(`of ${count} samples agrees with the definition to 1e-12 of the peak`, () => {
      const samples = waveform(count)
      const mean = samples.reduce((sum, sample) => sum + sample, 0) / count
      const { amplitude } = spectrum(samples, 200)

      const peak = Math.max(...amplitude.subarray(0, 10))
      for (const k of [1, 3, 4_711, Math.floor(count / 3), Math.floor(count / 2)]) {
        const expected = naiveLine(samples, mean, k)
        assert.ok(Math.abs(amplitude[k]! - expected) <= 1e-12 * peak, `${k}: ${amplitude[k]}`)
      }
    })
  }

  for (const count of [12_799, 12_800, 16_384]) {
    test(`of ${count} samples agrees with the closed form of a sine between bins`, () => {
      const { amplitude } = spectrum(sine(count, 2.5, 1234.3), 200)

      const expected = Array.from(amplitude, (_, k) => closedForm(count, 2.5, 1234.3, k))
      assertClose(amplitude.subarray(1), expected.slice(1), 2.5e-12)
    })
  }

  test('reads a cosine at half the sampling frequency at its amplitude', () => {
    const samples = Float64Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? 4 : -4))
    const { amplitude, frequency } = spectrum(samples, 50)

    assert.ok(Math.abs(amplitude[50]! - 4) < 1e-14)
    assert.equal(frequency(50), 25)
  })

  test('holds the power of the samples about their mean (Parseval)', () => {
    const property = fc.property(samplesOf(1, 300), (samples) => {
      const mean = samples.reduce((sum, sample) => sum + sample, 0) / samples.length
      const power = samples.reduce((sum, x) => sum + (x - mean) ** 2, 0) / samples.length
      const { amplitude } = spectrum(samples, 1)
      let total = 0
      for (const [k, a] of amplitude.entries()) {
        total += 2 * k === samples.length ? a ** 2 : a ** 2 / 2
      }
      assert.ok(Math.abs(total - power) <= 1e-10)
    })
    fc.assert(property)
  })

  test('scales with its waveform and ignores a constant', () => {
    const constant = fc.double({ min: -100, max: 100, noNaN: true })
    const property = fc.property(samplesOf(1, 200), constant, constant, (samples, factor, mean) => {
      const plain = spectrum(samples, 1).amplitude
      const changed = samples.map((sample) => factor * sample + mean)
      const expected = plain.map((amplitude) => Math.abs(factor) * amplitude)
      assertClose(spectrum(changed, 1).amplitude, expected, 1e-9)
    })
    fc.assert(property)
  })

  test('loses no digits to a large mean', () => {
    const small = sine(1001, 1, 33.3).map((sample) => Math.round(sample * 2 ** 20) / 2 ** 20)
    const expected = spectrum(small, 1).amplitude

    const raised = small.map((sample) => sample + 2 ** 30)
    assertClose(spectrum(raised, 1).amplitude, expected, 1e-14)
  })

  test('is exact for very large and very small samples', () => {
    for (const unit of [2 ** 1010, 2 ** -1000, 2 ** 500]) {
      const samples = waveform(1000)
      const expected = spectrum(samples, 1).amplitude

      const { amplitude } = spectrum(
        samples.map((sample) => sample * unit),
        1,
      )
      assertClose(
        amplitude.map((value) => value / unit),
        expected,
        1e-13,
      )
    }
    assert.deepEqual([...spectrum(new Float64Array(5), 1).amplitude], [0, 0, 0])
  })

  test('of the sum of two sines is the sum of both', () => {
    const [a, b] = [sine(1000, 3, 50), sine(1000, 0.5, 333)]
    const { amplitude } = spectrum(
      a.map((sample, n) => sample + b[n]!),
      1,
    )

    assert.ok(Math.abs(amplitude[50]! - 3) < 1e-12)
    assert.ok(Math.abs(amplitude[333]! - 0.5) < 1e-12)
    assert.equal(amplitude.filter((value) => value > 1e-12).length, 2)
  })

  test('does not change the samples', () => {
    const samples = waveform(10)
    spectrum(samples, 1)

    assert.deepEqual(samples, waveform(10))
  })

  test('of no samples is refused', () => {
    const expected = new RefusedError('invalid', 'samples is empty, expected at least one')

    assert.throws(() => spectrum(new Float64Array(0), 1), expected)
  })
})

function samplesOf(minLength: number, maxLength: number): fc.Arbitrary<Float64Array> {
  const sample = fc.double({ min: -10, max: 10, noNaN: true })
  return fc.array(sample, { minLength, maxLength }).map((numbers) => Float64Array.from(numbers))
}
