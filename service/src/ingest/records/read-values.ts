import { show } from '../../errors/show.ts'
import { isObject } from '../../json/is-object.ts'
import type { Rejection } from './report.ts'

type Items = { itemIndex: ReadonlyMap<string, number> }

/**
 * Reads `{key: number}` into the order of the items; `null` means no value.
 *
 * `owner` names the sensor or station for a sentence.
 */
export function readValues(
  values: unknown,
  { itemIndex }: Items,
  owner: () => string,
): (number | undefined)[] | Rejection {
  if (!isObject(values)) return { rejection: 'values must be an object of item key to number' }

  const result = Array.from<number | undefined>({ length: itemIndex.size })
  let count = 0
  for (const key in values) {
    const value = values[key]
    const index = itemIndex.get(key)
    if (index === undefined) return { rejection: `${owner()} has no item ${show(key)}` }
    if (value === null) continue
    if (typeof value !== 'number')
      return { rejection: `value of ${show(key)} must be a number, not ${show(value)}` }
    const rejection = checkNumber(key, value)
    if (rejection !== undefined) return rejection
    result[index] = value
    count++
  }
  return count === 0 ? { rejection: 'values is empty' } : result
}

function checkNumber(key: string, value: number): Rejection | undefined {
  if (!Number.isFinite(value)) return { rejection: `value of ${show(key)} is not finite` }
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return { rejection: `value of ${show(key)} is an integer that a double cannot hold exactly` }
  return undefined
}
