import type { TrafficCounts } from '@plumbline/contract'
import { convertValue, findConversion } from '../../domain/units/units.ts'
import { RefusedError } from '../../errors/refused-error.ts'

/** Weights in tonnes at which a class begins, without a parameter that says otherwise. */
const TONNES = [3.5, 12, 18, 26, 40, 49]

/** The weights at which classes begin, ascending, in the unit of a structure's vehicles. */
export function readBounds(given: readonly number[] | undefined, loadUnit: string): number[] {
  if (given === undefined) {
    const conversion = findConversion('t', loadUnit)
    if (conversion === undefined || conversion === 'same') return TONNES
    return TONNES.map((one) => convertValue(conversion, one))
  }
  if (given.some((one, at) => at > 0 && one <= (given[at - 1] ?? 0)))
    throw new RefusedError('invalid', 'the query parameter "classes" must be ascending weights')
  return [...given]
}

/** The classes between bounds: one below the first, and one from each on. */
export const classesOf = (bounds: readonly number[]): TrafficCounts['classes'] =>
  [0, ...bounds].map((from, at) => ({ from, below: bounds[at] ?? null }))
