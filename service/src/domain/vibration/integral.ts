import { RefusedError } from '../../errors/refused-error.ts'
import { inverseReal, transformReal } from './fourier.ts'
import { removeMean } from './spectrum.ts'

export type Integration = {
  /** 1: acceleration becomes velocity; 2: displacement. */
  times: 1 | 2
  /** Only what lies between these, in Hz, both inclusive, is integrated; the rest is taken out. */
  low: number
  high: number
}

/**
 * Integrates a waveform over time in the frequency domain: each line by (2πif) to the power of
 * `times`.
 *
 * Below `low` a small error would become a large drift, so it is above 0. The waveform is taken as
 * one period: what does not repeat rings at its ends.
 */
export function integrate(
  samples: Float64Array,
  sampleHz: number,
  { times, low, high }: Integration,
): Float64Array {
  if (!(low > 0) || !(high >= low)) {
    throw new RefusedError('invalid', `low is ${low} Hz, expected more than 0 and at most high`)
  }
  const count = samples.length
  const bins = transformReal(removeMean(samples))
  for (let k = 0; 2 * k < bins.length; k++) {
    const frequency = (k * sampleHz) / count
    const [real, imaginary] = [bins[2 * k]!, bins[2 * k + 1]!]
    const isIn = frequency >= low && frequency <= high
    const omega = isIn ? 2 * Math.PI * frequency : Infinity
    // By i it is turned by a quarter, by i twice only its sign.
    bins[2 * k] = times === 1 ? imaginary / omega : -real / omega ** 2
    bins[2 * k + 1] = times === 1 ? -real / omega : -imaginary / omega ** 2
  }
  return inverseReal(bins, count)
}

const PER_SECOND_SQUARED = /^(.*[^/\s])\s*\/\s*s(?:ec)?(?:²|\^?2)$/

/** The unit of the integral: `cm/s²` becomes `cm/s` and `cm`; any other gets seconds behind it. */
export function integralUnit(unit: string, times: 1 | 2): string {
  const [, length] = PER_SECOND_SQUARED.exec(unit.trim()) ?? []
  if (length !== undefined) return times === 1 ? `${length}/s` : length
  if (unit === '') return times === 1 ? 's' : 's²'
  return times === 1 ? `${unit}·s` : `${unit}·s²`
}
