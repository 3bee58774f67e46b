import type { WindowName } from './window.ts'

export const WINDOW_NAMES: readonly WindowName[] = ['rectangular', 'hann', 'hamming', 'flattop']

/** White noise from -1 to 1, the same in every run (the generator mulberry32). */
export function noise(count: number, seed = 12_345): Float64Array {
  let state = seed
  return Float64Array.from({ length: count }, () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1
  })
}

/** A sine with `bin` periods in `count` samples. */
export function sine(count: number, amplitude: number, bin: number, phase = 0): Float64Array {
  return Float64Array.from({ length: count }, (_, n) => {
    const turns = (bin * n) / count
    return amplitude * Math.sin(2 * Math.PI * (turns - Math.floor(turns)) + phase)
  })
}

export const sum = (values: Iterable<number>): number => {
  let total = 0
  for (const value of values) total += value
  return total
}

export const add = (one: Float64Array, other: Float64Array): Float64Array =>
  one.map((value, n) => value + other[n]!)
