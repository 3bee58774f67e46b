import { EXPECTED_QUALITY, parseQuality } from '../../domain/quality/quality-text.ts'
import type { Mark, Marks } from '../../domain/quality/quality.ts'
import { show } from '../../errors/show.ts'
import { isObject } from '../../json/is-object.ts'
import { isRejection, type Rejection } from './report.ts'

type Items = { itemIndex: ReadonlyMap<string, number> }

/**
 * Reads the quality beside the values of a record into marks in the order of the items: one quality
 * for all values, or `{key: quality}`, in which `null` is good. Undefined where all values are good.
 *
 * `values` are those that `readValues` returned; the quality of an item without a value is ignored.
 * `owner` names the sensor or station for a sentence.
 */
export function readQuality(
  quality: unknown,
  { itemIndex }: Items,
  values: readonly (number | undefined)[],
  owner: () => string,
): Marks | undefined | Rejection {
  if (quality === undefined || quality === null) return undefined
  if (isObject(quality)) return readEach(quality, itemIndex, values, owner)
  const mark = readMark(quality, () => 'quality')
  if (mark === undefined || isRejection(mark)) return mark
  return values.map((value) => (value === undefined ? undefined : mark))
}

function readEach(
  qualities: Record<string, unknown>,
  itemIndex: ReadonlyMap<string, number>,
  values: readonly (number | undefined)[],
  owner: () => string,
): Marks | undefined | Rejection {
  let marks: (Mark | undefined)[] | undefined
  for (const key in qualities) {
    const index = itemIndex.get(key)
    if (index === undefined)
      return { rejection: `${owner()} has no item ${show(key)}, which quality names` }
    const given = qualities[key]
    if (given === null) continue
    const mark = readMark(given, () => `quality of ${show(key)}`)
    if (mark === undefined) continue
    if (isRejection(mark)) return mark
    if (values[index] === undefined) continue
    marks ??= values.map(() => undefined)
    marks[index] = mark
  }
  return marks
}

/** The mark of a sender; undefined for good, which is no mark, whatever its reason. */
function readMark(given: unknown, what: () => string): Mark | undefined | Rejection {
  const isGiven = typeof given === 'string' || typeof given === 'number'
  const quality = isGiven ? parseQuality(given) : undefined
  if (quality === undefined)
    return { rejection: `${what()} is ${show(given)}, ${EXPECTED_QUALITY}` }
  return quality.quality === 'good' ? undefined : { ...quality, origin: 'sender' }
}
