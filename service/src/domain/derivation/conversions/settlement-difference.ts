import type { GroupValue } from './group-value.ts'

/** A station of a hydrostatic settlement group, and its own value. */
type SettlementPoint = { name: string; isBase: boolean; value: number | undefined }

/**
 * Returns each station's value minus that of the base point, in the order of the points; the base
 * point has 0. Without a value of the base point no station has one: connected liquid levels measure
 * differences only.
 */
export function subtractBase(points: readonly SettlementPoint[]): GroupValue[] {
  const [base, another] = points.filter(({ isBase }) => isBase)
  if (base === undefined) return points.map(() => ({ absent: 'the group has no base point' }))
  if (another !== undefined) {
    const absent = `${base.name} and ${another.name} are both base points, expected one`
    return points.map(() => ({ absent }))
  }
  if (base.value === undefined) {
    return points.map(() => ({ absent: `the base point ${base.name} has no value` }))
  }
  const { value: zero } = base
  return points.map(({ name, value = NaN }) => {
    const difference = value - zero
    if (Number.isFinite(difference)) return { value: difference }
    return { absent: `${name} has no value` }
  })
}
