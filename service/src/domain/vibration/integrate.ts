import { RefusedError } from '../../errors/refused-error.ts'
import { inverseReal, transformReal } from './fourier.ts'
import { removeMean } from './spectrum.ts'

export type Integration = {
  /** 1: acceleration becomes velocity; 2: displacement. */
  times: 1 | 2
  /** The band that is integrated, in Hz, both ends inclusive. Everything outside is removed. */
  low: number
  high: number
}

/**
 * Integrates a waveform over time in the frequency domain: divides each line by (2πif)^`times`.
 *
 * `low` is above 0, because a small error at a very low frequency becomes a large drift. The
 * waveform is taken as one period: a difference between its ends causes ringing there.
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
    const isInBand = frequency >= low && frequency <= high
    const omega = isInBand ? 2 * Math.PI * frequency : Infinity
    // Division by i rotates by a quarter turn; division by i² changes the sign.
    bins[2 * k] = times === 1 ? imaginary / omega : -real / omega ** 2
    bins[2 * k + 1] = times === 1 ? -real / omega : -imaginary / omega ** 2
  }
  return inverseReal(bins, count)
}

const PER_SECOND_SQUARED = /^(.*[^/\s])\s*\/\s*s(?:ec)?(?:²|\^?2)$/

/** Returns the unit of the integral: `cm/s` or `cm` for `cm/s²`, else the unit times s or s². */
export function integralUnit(unit: string, times: 1 | 2): string {
  const [, length] = PER_SECOND_SQUARED.exec(unit.trim()) ?? []
  if (length !== undefined) return times === 1 ? `${length}/s` : length
  if (unit === '') return times === 1 ? 's' : 's²'
  return times === 1 ? `${unit}·s` : `${unit}·s²`
}
