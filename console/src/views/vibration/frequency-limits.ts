import { router } from '../../state/router.svelte.ts'

const SHARES = [1, 2, 4, 8, 16, 32]

/** Half the sampling frequency and parts of it: frequencies up to which a picture may show. */
export function frequencyLimits(sampleHz: number): { limits: number[]; limit: number } {
  const limits = SHARES.map((share) => sampleHz / 2 / share)
  const asked = Number(router.query['upTo'])
  return { limits, limit: limits.find((one) => one === asked) ?? limits[0]! }
}

/** How many lines lie between 0 Hz and a frequency, both included. */
export const linesUpTo = (hertz: number, step: number): number =>
  Math.floor(hertz / step + 1e-9) + 1
