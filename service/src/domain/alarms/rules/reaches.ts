/**
 * Whether an amount that was computed from values reaches a limit, the last bits of doubles set
 * aside: 1.1 - 1 reaches 0.1. `scale` is the size of the values.
 */
export function reaches(amount: number, limit: number, scale: number): boolean {
  return amount >= limit - 4 * Number.EPSILON * Math.max(scale, Math.abs(limit))
}
