import { show } from '../../errors/show.ts'
import type { Rejection } from './report.ts'

type Items = { itemIndex: ReadonlyMap<string, number> }

/**
 * Reads `{key: number}` into the order of the items; null means no value and is left out.
 *
 * `owner` names in a sentence whose items they are.
 */
export function readValues(
  values: unknown,
  { itemIndex }: Items,
  owner: () => string,
): (number | undefined)[] | Rejection {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return { rejection: 'values must be an object of item key to number' }

  const result = Array.from<number | undefined>({ length: itemIndex.size })
  let count = 0
  for (const key in values) {
    const value = (values as Record<string, unknown>)[key]
    const index = itemIndex.get(key)
    if (index === undefined) return { rejection: `${owner()} has no item ${show(key)}` }
    if (value === null) continue
    const rejection = refuseNumber(key, value)
    if (rejection !== undefined) return rejection
    result[index] = value as number
    count++
  }
  return count === 0 ? { rejection: 'values holds no value' } : result
}

function refuseNumber(key: string, value: unknown): Rejection | undefined {
  if (typeof value !== 'number')
    return { rejection: `value of ${show(key)} must be a number, not ${show(value)}` }
  if (!Number.isFinite(value)) return { rejection: `value of ${show(key)} is not finite` }
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return { rejection: `value of ${show(key)} is an integer that a double cannot hold exactly` }
  return undefined
}
