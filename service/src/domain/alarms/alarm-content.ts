import type { FactorItem } from '../site/site-entry.ts'
import { isValue, type Violation, type ItemValues } from './threshold-evaluator.ts'

type NamedItem = Pick<FactorItem, 'key' | 'name' | 'unit'>

/** The maximum lengths of a content and of a name in it, in Unicode characters. */
export const CONTENT_MAXIMUM = 500
const NAME_MAXIMUM = 60

/**
 * Describes violations: `{item}: {value}{unit}, level {n} threshold {interval}`, joined by `; `.
 * Those that exceed the maximum length are counted: `; and 3 more`.
 */
export function describeViolations(
  violations: readonly Violation[],
  items: readonly NamedItem[],
  values: ItemValues,
): string {
  const parts = violations.map(({ item, level, limit }) => {
    return `${describeItem(item, items, values)}, level ${level} ${limit}`
  })
  return joinToFit(parts)
}

/** Describes the values that cleared an alarm: `back to normal: {item}: {value}{unit}`. */
export function describeReturnToNormal(
  keys: readonly string[],
  items: readonly NamedItem[],
  values: ItemValues,
): string {
  return `back to normal: ${joinToFit(keys.map((key) => describeItem(key, items, values)))}`
}

/** Formats a number with at most 12 significant digits. */
export function formatValue(value: number): string {
  return String(Number(value.toPrecision(12)))
}

/** Returns a text on one line, truncated to `maximum` characters. */
export function toLine(text: string, maximum: number): string {
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  if (line.length <= maximum) return line
  const characters = Array.from(line)
  if (characters.length <= maximum) return characters.join('')
  return `${characters.slice(0, maximum - 1).join('')}…`
}

function describeItem(key: string, items: readonly NamedItem[], values: ItemValues): string {
  const place = items.findIndex((item) => item.key === key)
  const { name = key, unit = '' } = items[place] ?? {}
  const value = values[place]
  const shown = isValue(value) ? `${formatValue(value)}${toLine(unit, NAME_MAXIMUM)}` : 'no value'
  return `${toLine(name, NAME_MAXIMUM)}: ${shown}`
}

/** Joins parts as long as they fit, with room for the count of the others. */
function joinToFit(parts: readonly string[]): string {
  const room = CONTENT_MAXIMUM - '; and 9999 more'.length
  let text = ''
  for (const [index, part] of parts.entries()) {
    const joined = index === 0 ? toLine(part, room) : `${text}; ${part}`
    if (joined.length > room && Array.from(joined).length > room)
      return `${text}; and ${parts.length - index} more`
    text = joined
  }
  return text
}
