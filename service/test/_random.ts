/** The seed of all random tests; `TEST_SEED` sets one that an earlier run has printed. */
export const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31)

/** A random test repeats in full in `npm run test:deep` only. */
const isDeep = process.env['TEST_DEEP'] !== undefined

/** Repetitions of a random test: a tenth of those of the deep run, where nothing else is said. */
export const runs = (deep: number, usual = Math.ceil(deep / 10)): number => (isDeep ? deep : usual)

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomNumbers(seed = SEED): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
