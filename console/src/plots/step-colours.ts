import { VIRIDIS } from './viridis.ts'

/** The part of viridis that is seen on light and on dark ground. */
const SEEN = { light: { first: 215, last: 25 }, dark: { first: 70, last: 250 } }
const SERIES = 8

/**
 * Colours of groups: those of series, or, where groups have an order, grey for the first and steps
 * from faint to strong for those above it.
 */
export function stepColours(
  count: number,
  { isOrdered, isDark }: { isOrdered: boolean; isDark: boolean },
): string[] {
  const { first, last } = isDark ? SEEN.dark : SEEN.light
  return Array.from({ length: count }, (_, at) => {
    if (!isOrdered) return `var(--series-${(at % SERIES) + 1})`
    if (at === 0) return 'var(--line-strong)'
    const place = Math.round(first + ((last - first) * (at - 1)) / Math.max(1, count - 2))
    return `rgb(${VIRIDIS.slice(3 * place, 3 * place + 3).join(' ')})`
  })
}
