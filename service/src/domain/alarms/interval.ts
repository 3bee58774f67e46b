import { parseDecimalText } from '../../encodings/decimal-text.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { shorten, show } from '../../errors/show.ts'

/**
 * A range of values, written `[5,+)` or `(-,-5]`; `-` and `+` are the infinities.
 *
 * `low` is at most `high`. An infinite end is not included; a range of one value includes both ends.
 */
export type Interval = Readonly<{
  low: number
  high: number
  includesLow: boolean
  includesHigh: boolean
}>

/**
 * Parses pairs joined by `;`, such as `(-10,-5);(5,10)`, and returns them sorted.
 *
 * Accepts full-width punctuation, blanks, `∞` and `inf`. Refuses other texts, a low end above the
 * high end, and pairs that share a value; the error names the pair and its character, from 1.
 */
export function parseIntervals(text: string): Interval[] {
  const plain = toPlain(text)
  if (plain.trim() === '') refuse('interval text is empty, expected pairs such as (-10,-5);(5,10)')

  const pairs: Pair[] = []
  let at = 0
  for (const part of plain.split(';')) {
    pairs.push(parsePair(part, at + part.length - part.trimStart().length + 1))
    at += part.length + 1
  }
  pairs.sort((a, b) => compare(a.interval, b.interval))

  for (const [index, pair] of pairs.entries()) {
    const before = pairs[index - 1]
    if (before === undefined || !overlaps(before.interval, pair.interval)) continue
    refuse(`${describe(before)} and ${describe(pair)} overlap`)
  }
  return pairs.map(({ interval }) => interval)
}

/** Formats intervals sorted, without blanks, with numbers in their shortest decimal form. */
export function formatIntervals(intervals: readonly Interval[]): string {
  return intervals.toSorted(compare).map(format).join(';')
}

/** Whether a value lies in an interval. */
export function contains(interval: Interval, value: number): boolean {
  const { low, high, includesLow, includesHigh } = interval
  return (includesLow ? value >= low : value > low) && (includesHigh ? value <= high : value < high)
}

/** Whether a value lies in both. `(0,5)` and `(5,9)` share none, `[5,9]` and `[0,5]` share 5. */
export function overlaps(a: Interval, b: Interval): boolean {
  const low = Math.max(a.low, b.low)
  const high = Math.min(a.high, b.high)
  return low < high || (low === high && contains(a, low) && contains(b, low))
}

type Pair = { text: string; place: number; interval: Interval }

// A Chinese keyboard types 【 and 】 for [ and ].
const ASCII_OF = new Map([
  ...Array.from(
    '（）［］【】；，、－−＋．　',
    (from, index) => [from, '()[][];,,--+. '.charAt(index)] as const,
  ),
  ...Array.from('０１２３４５６７８９', (from, index) => [from, String(index)] as const),
])
const PAIR = /^([([])([^,()[\]]*),([^,()[\]]*)([)\]])$/
const MINUS_INFINITY = /^-(inf(inity)?|∞)?$/i
const PLUS_INFINITY = /^(\+|\+?(inf(inity)?|∞))$/i

/** Replaces full-width characters by ASCII, without moving any character. */
function toPlain(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (character) => ASCII_OF.get(character) ?? character)
}

function parsePair(part: string, place: number): Pair {
  const text = part.trim()
  const where = describe({ text, place })
  if (text === '') refuse(`the pair at character ${place} is missing, expected one such as (5,10)`)
  const [, open, lowText = '', highText = '', close] = PAIR.exec(text) ?? []
  if (open === undefined) {
    refuse(`${where} is not two ends in brackets, expected one such as (5,10) or [20,+)`)
  }
  const low = MINUS_INFINITY.test(lowText.trim()) ? -Infinity : parseEnd(lowText, 'low', where)
  const high = PLUS_INFINITY.test(highText.trim()) ? Infinity : parseEnd(highText, 'high', where)
  const includesLow = open === '[' && low !== -Infinity
  const includesHigh = close === ']' && high !== Infinity
  if (low > high) refuse(`${where}: the lower bound is greater than the upper bound`)
  if (low === high && !(includesLow && includesHigh)) {
    refuse(`${where} holds no value, expected [${low},${low}] for a single one`)
  }
  return { text, place, interval: { low, high, includesLow, includesHigh } }
}

function parseEnd(text: string, end: 'low' | 'high', where: string): number {
  const digits = text.trim().replace(/^([+-])\s+/, '$1')
  const value = parseDecimalText(digits) ?? NaN
  // Adding 0 makes -0 a plain 0.
  if (Number.isFinite(value)) return value + 0
  const infinity = end === 'low' ? '- for minus infinity' : '+ for plus infinity'
  const shown = show(text.trim())
  return refuse(`${where} has the ${end} end ${shown}, expected a decimal number or ${infinity}`)
}

function format({ low, high, includesLow, includesHigh }: Interval): string {
  const lowText = low === -Infinity ? '-' : String(low)
  const highText = high === Infinity ? '+' : String(high)
  return `${includesLow ? '[' : '('}${lowText},${highText}${includesHigh ? ']' : ')'}`
}

function compare(a: Interval, b: Interval): number {
  if (a.low !== b.low) return a.low < b.low ? -1 : 1
  return a.high === b.high ? 0 : a.high < b.high ? -1 : 1
}

function describe({ text, place }: Pick<Pair, 'text' | 'place'>): string {
  return `the pair ${shorten(text)} at character ${place}`
}

function refuse(sentence: string): never {
  throw new RefusedError('invalid', sentence)
}
