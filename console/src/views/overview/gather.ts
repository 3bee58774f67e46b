export type Placed = { x: number; y: number }

/**
 * Gathers what is closer than `distance` on the map, so that symbols do not hide each other. The first
 * of a gathering gives its place; those that come first should be the most important.
 */
export function gather<T extends Placed>(placed: readonly T[], distance: number): T[][] {
  const gatherings: T[][] = []
  for (const one of placed) {
    const near = gatherings.find(
      ([first]) => Math.hypot(first!.x - one.x, first!.y - one.y) < distance,
    )
    if (near === undefined) gatherings.push([one])
    else near.push(one)
  }
  return gatherings
}

/** A step of degrees with about `count` lines over a range. */
export function stepOfDegrees(range: number, count: number): number {
  const steps = [30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]
  return steps.find((step) => range / step >= count) ?? 0.001
}
