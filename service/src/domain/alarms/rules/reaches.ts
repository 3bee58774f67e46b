/**
 * Whether an amount reaches a limit, apart from the rounding of doubles: 1.1 - 1 reaches 0.1.
 * `scale` is the magnitude of the values that the amount was computed from.
 */
export function reaches(amount: number, limit: number, scale: number): boolean {
  return amount >= limit - 4 * Number.EPSILON * Math.max(scale, Math.abs(limit))
}
