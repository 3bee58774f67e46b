import { RefusedError } from '../../errors/refused-error.ts'

/** A part of a local time. */
export type TimePart = 'year' | 'month' | 'day' | 'hour' | 'half' | 'minute' | 'second' | 'fraction'

/** A part of a time format. */
export type FormatToken =
  | { kind: 'digits'; unit: TimePart; least: number; most: number; name: string }
  | { kind: 'half' }
  | { kind: 'literal'; text: string }
  | { kind: 'optional'; tokens: FormatToken[] }

type DigitRange = [unit: TimePart, least: number, most: number]

const DIGITS: Readonly<Record<string, DigitRange>> = {
  YYYY: ['year', 4, 4],
  YY: ['year', 2, 2],
  MM: ['month', 2, 2],
  M: ['month', 1, 2],
  DDD: ['day', 1, 3],
  DD: ['day', 2, 2],
  D: ['day', 1, 2],
  HH: ['hour', 2, 2],
  H: ['hour', 1, 2],
  hh: ['hour', 2, 2],
  h: ['hour', 1, 2],
  mm: ['minute', 2, 2],
  m: ['minute', 1, 2],
  ss: ['second', 2, 2],
  s: ['second', 1, 2],
}

const PARTS = /YYYY|YY|MM|M|DDD|DD|D|HH|H|hh|h|mm|m|ss|s|S+|A|\[|\]|[^]/g
const MOST_FRACTION_DIGITS = 30

/** Divides a time format into tokens; throws a `RefusedError` for an incomplete one. */
export function parseTimeFormat(pattern: string): { tokens: FormatToken[]; names: string[] } {
  const tokens = tokenize(pattern)
  const names = flatten(tokens).map(nameOf)
  refuseIncomplete(pattern, tokens, names)
  return { tokens, names }
}

function tokenize(pattern: string): FormatToken[] {
  const tokens: FormatToken[] = []
  let inside: FormatToken[] | undefined
  for (const [part] of pattern.matchAll(PARTS)) {
    const into = inside ?? tokens
    const digits = DIGITS[part]
    if (part === '[' && inside === undefined) inside = []
    else if (part === ']' && inside !== undefined) {
      tokens.push({ kind: 'optional', tokens: inside })
      inside = undefined
    } else if (digits !== undefined) {
      const [unit, least, most] = digits
      into.push({ kind: 'digits', unit, least, most, name: part })
    } else if (part.startsWith('S'))
      into.push({
        kind: 'digits',
        unit: 'fraction',
        least: 1,
        most: MOST_FRACTION_DIGITS,
        name: part,
      })
    else if (part === 'A') into.push({ kind: 'half' })
    else if (/[A-Za-z[\]]/.test(part) && part !== 'T' && part !== 'Z')
      throw refuse(pattern, `"${part}" has no meaning`)
    else into.push({ kind: 'literal', text: part })
  }
  if (inside !== undefined) throw refuse(pattern, 'a "[" is not closed')
  return tokens
}

function refuseIncomplete(
  pattern: string,
  tokens: readonly FormatToken[],
  names: readonly string[],
) {
  const units = flatten(tokens).flatMap((token) => (token.kind === 'digits' ? [token.unit] : []))
  for (const unit of units)
    if (units.indexOf(unit) !== units.lastIndexOf(unit))
      throw refuse(pattern, `the ${unit} appears twice`)
  if (!units.includes('year')) throw refuse(pattern, 'the year (YYYY) is missing')
  if (!units.includes('day')) throw refuse(pattern, 'the day (DD) is missing')
  if (names.includes('DDD') === units.includes('month'))
    throw refuse(pattern, 'it takes a month (MM) and its day (DD), or the day of the year (DDD)')
  if (names.includes('A') !== names.some((name) => name === 'h' || name === 'hh'))
    throw refuse(pattern, 'hh and A (AM or PM) belong together')
  const flat = flatten(tokens)
  for (const [at, token] of flat.entries())
    if (token.kind === 'digits' && token.least < token.most && flat[at + 1]?.kind === 'digits')
      throw refuse(pattern, `${token.name} has no fixed length, and a number follows it at once`)
}

/** The tokens without optional groups. */
export const flatten = (
  tokens: readonly FormatToken[],
): Exclude<FormatToken, { kind: 'optional' }>[] =>
  tokens.flatMap((token) => (token.kind === 'optional' ? flatten(token.tokens) : [token]))

const nameOf = (token: FormatToken): string =>
  token.kind === 'digits' ? token.name : token.kind === 'half' ? 'A' : ''

const refuse = (pattern: string, what: string) =>
  new RefusedError(
    'invalid',
    `the time format "${pattern}" cannot be used: ${what}; expected for example "DD.MM.YYYY HH:mm:ss.SSS"`,
  )
