/** A peak of a spectrum; its frequency and amplitude are interpolated between the lines. */
export type Peak = {
  frequency: number
  amplitude: number
  /** Its height above the higher of the two valleys between it and higher peaks. */
  prominence: number
}

export type PeakChoice = {
  /** The band of the peaks, in Hz, both ends inclusive. */
  low: number
  high: number
  /** The smallest prominence, as a fraction of the largest amplitude in the band. */
  prominence: number
  /** The maximum number of peaks; the most prominent ones are taken. */
  limit: number
}

/** Returns the peaks of an amplitude spectrum with lines `stepHz` apart, the most prominent first. */
export function findPeaks(
  amplitude: Float64Array,
  stepHz: number,
  { low, high, prominence, limit }: PeakChoice,
): Peak[] {
  const first = Math.max(1, Math.ceil(low / stepHz - 1e-9))
  const last = Math.min(amplitude.length - 2, Math.floor(high / stepHz + 1e-9))
  const largest = largestOf(amplitude.subarray(first, Math.max(first, last + 1)))
  return prominencesOf(amplitude)
    .filter(({ line }) => line >= first && line <= last)
    .filter((peak) => peak.prominence >= prominence * largest)
    .toSorted((one, other) => other.prominence - one.prominence || one.line - other.line)
    .slice(0, limit)
    .map((maximum) => ({
      ...interpolate(amplitude, maximum.line, stepHz),
      prominence: maximum.prominence,
    }))
}

/** Returns the largest amplitude, 0 of none. */
export function largestOf(amplitude: Float64Array): number {
  let largest = 0
  for (let k = 0; k < amplitude.length; k++) largest = Math.max(largest, amplitude[k]!)
  return largest
}

/**
 * Returns the vertex of the parabola through the logarithms of a peak and its neighbours.
 *
 * For a single sine the error of the frequency is at most 0.017 lines with a Hann or Hamming
 * window, 0.17 without a window and 0.15 with a flat top; that of the amplitude 4, 5, 27 and 2 %.
 */
export function interpolate(
  amplitude: Float64Array,
  line: number,
  stepHz: number,
): { frequency: number; amplitude: number } {
  const logAt = (at: number): number => Math.log(amplitude[at] ?? 0)
  const [left, middle, right] = [logAt(line - 1), logAt(line), logAt(line + 1)]
  const curvature = left - 2 * middle + right
  const isCurved = Number.isFinite(curvature) && curvature < 0
  const shift = isCurved ? (left - right) / (2 * curvature) : 0
  const rise = isCurved ? ((left - right) * shift) / 4 : 0
  return { frequency: (line + shift) * stepHz, amplitude: Math.exp(middle - rise) }
}

type LocalMaximum = { line: number; prominence: number }

/** Every local maximum with its prominence; a flat top counts once, at its middle. */
function prominencesOf(amplitude: Float64Array): LocalMaximum[] {
  const left = valleysBefore(amplitude)
  const right = valleysBefore(amplitude.toReversed()).toReversed()
  const maxima: LocalMaximum[] = []
  let start = 0
  let height = Infinity
  let isRising = false
  for (let k = 0; k < amplitude.length; k++) {
    const value = amplitude[k]!
    if (value === height) continue
    if (isRising && value < height) {
      const line = (start + k - 1) >> 1
      maxima.push({ line, prominence: height - Math.max(left[line]!, right[line]!) })
    }
    isRising = value > height
    start = k
    height = value
  }
  return maxima
}

/** The lowest value between each point and the next higher one before it. */
function valleysBefore(values: Float64Array): Float64Array {
  const valleys = new Float64Array(values.length)
  // A stack of falling values, each with its valley; no value between two is above the later one.
  const heights = new Float64Array(values.length)
  const valleysOf = new Float64Array(values.length)
  let top = 0
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!
    let valley = value
    for (; top > 0 && heights[top - 1]! <= value; top--)
      valley = Math.min(valley, valleysOf[top - 1]!)
    valleys[at] = valley
    heights[top] = value
    valleysOf[top++] = valley
  }
  return valleys
}
