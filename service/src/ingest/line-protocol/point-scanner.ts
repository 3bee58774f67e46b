import { parseDecimalText } from '../../encodings/decimal-text.ts'

/**
 * A point of the InfluxDB line protocol, by "Line protocol" in the reference of InfluxDB v2.
 *
 * `measurement,tag=value field=1,other="text" 1772362800000000000`
 */
export type Point = {
  measurement: string
  tags: ReadonlyMap<string, string>
  fields: ReadonlyMap<string, number | boolean | string>
  /** In the precision of the request; undefined where the line has none. */
  timestamp: bigint | undefined
}

/** The longest line, and the longest text in quotes, which may have line breaks. */
export const LINE_MAXIMUM = 64 * 1024

/** The most tags and fields of a point: far more than a sensor has items. */
const MOST_MEMBERS = 4_000

/** A line that is not a point; the message says where, and what was expected. */
export class LineError extends Error {}

const INTEGER_MINIMUM = -(2n ** 63n)
const INTEGER_MAXIMUM = 2n ** 63n - 1n
const UNSIGNED_MAXIMUM = 2n ** 64n - 1n

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['t', 'T', 'true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['f', 'F', 'false', 'False', 'FALSE'].map((word) => [word, false] as const),
])

/** A part of a text without some characters; joined one by one they would take many times the memory. */
class Unescaped {
  readonly #text: string
  #from: number
  #before = ''

  constructor(text: string, from: number) {
    this.#text = text
    this.#from = from
  }

  /** Leaves the character at an index out. */
  skip(at: number): void {
    this.#before += this.#text.slice(this.#from, at)
    this.#from = at + 1
  }

  upTo(end: number): string {
    return this.#before + this.#text.slice(this.#from, end)
  }
}

/** Reads one point from a text, from the index `at`. */
export class PointScanner {
  at: number
  readonly #text: string
  readonly #start: number

  constructor(text: string, at: number, start: number) {
    this.#text = text
    this.at = at
    this.#start = start
  }

  readPoint(): Point {
    const measurement = this.#readName(', ', 'a measurement')
    const tags = new Map<string, string>()
    while (this.#takes(',')) {
      this.#needRoom(tags.size)
      const key = this.#readName('=, ', 'a tag key')
      this.#need('=')
      tags.set(key, this.#readName(', =', 'a tag value'))
    }
    this.#needBlank()
    const fields = new Map<string, number | boolean | string>()
    do {
      this.#needRoom(tags.size + fields.size)
      const key = this.#readName('=, ', 'a field key')
      this.#need('=')
      fields.set(key, this.#readValue())
    } while (this.#takes(','))
    return { measurement, tags, fields, timestamp: this.#readTimestamp() }
  }

  /** A name up to one of `ends` that is not escaped; a backslash before another character is itself. */
  #readName(ends: string, what: string): string {
    const from = this.at
    const name = new Unescaped(this.#text, from)
    for (; !isEnd(this.#text, this.at); this.at++) {
      const character = this.#text.charAt(this.at)
      const next = this.#text[this.at + 1] ?? ''
      if (character === '\\' && next !== '' && ends.includes(next)) name.skip(this.at++)
      else if (ends.includes(character)) break
    }
    if (this.at === from) throw this.#wrong(what)
    return name.upTo(this.at)
  }

  #readValue(): number | boolean | string {
    if (this.#text[this.at] === '"') return this.#readText()
    const from = this.at
    while (!isEnd(this.#text, this.at) && !', '.includes(this.#text.charAt(this.at))) this.at++
    const word = this.#text.slice(from, this.at)
    const value = BOOLEANS.get(word) ?? readNumber(word)
    if (value !== undefined) return value
    this.at = from
    throw this.#wrong('a number, true, false or a text in double quotes')
  }

  #readText(): string {
    const from = this.at
    const value = new Unescaped(this.#text, from + 1)
    const end = Math.min(this.#text.length, from + LINE_MAXIMUM)
    for (this.at++; this.at < end; this.at++) {
      const character = this.#text.charAt(this.at)
      const next = this.#text[this.at + 1]
      if (character === '"') return value.upTo(this.at++)
      if (character === '\\' && (next === '"' || next === '\\')) value.skip(this.at++)
    }
    this.at = from
    throw this.#wrong('a text that ends with a double quote')
  }

  #readTimestamp(): bigint | undefined {
    const from = skipBlanks(this.#text, this.at)
    if (from === this.at && !isEnd(this.#text, from)) throw this.#wrong('"," or a blank')
    this.at = from
    if (isEnd(this.#text, from)) return this.#finish()
    while (!isEnd(this.#text, this.at) && this.#text[this.at] !== ' ') this.at++
    const word = this.#text.slice(from, this.at)
    const value = /^-?\d{1,19}$/.test(word) ? BigInt(word) : undefined
    this.at = from
    if (value === undefined || value < INTEGER_MINIMUM || value > INTEGER_MAXIMUM)
      throw this.#wrong('a timestamp: a whole number of 64 bits')
    this.at = skipBlanks(this.#text, from + word.length)
    if (!isEnd(this.#text, this.at)) throw this.#wrong('the end of the line')
    this.#finish()
    return value
  }

  #finish(): undefined {
    this.at = endOfLine(this.#text, this.at)
  }

  #takes(character: string): boolean {
    if (this.#text[this.at] !== character) return false
    this.at++
    return true
  }

  #need(character: string): void {
    if (!this.#takes(character)) throw this.#wrong(`"${character}"`)
  }

  #needRoom(count: number): void {
    if (count >= MOST_MEMBERS) throw this.#wrong(`at most ${MOST_MEMBERS} tags and fields`)
  }

  #needBlank(): void {
    const from = skipBlanks(this.#text, this.at)
    if (from === this.at) throw this.#wrong('a space and then the fields')
    this.at = from
  }

  #wrong(expected: string): LineError {
    return new LineError(`position ${this.at - this.#start + 1}: expected ${expected}`)
  }
}

function readNumber(word: string): number | undefined {
  const decimal = parseDecimalText(word)
  if (decimal !== undefined) return decimal
  const [, digits = '', kind] = /^(-?\d{1,20})([iu])$/.exec(word) ?? []
  if (kind === undefined) return undefined
  const value = BigInt(digits)
  const isWithin =
    kind === 'i'
      ? value >= INTEGER_MINIMUM && value <= INTEGER_MAXIMUM
      : value >= 0n && value <= UNSIGNED_MAXIMUM
  return isWithin ? Number(value) : undefined
}

/** Whether a line ends at an index, with `\n`, `\r\n` or the text. */
export const isEnd = (text: string, at: number): boolean =>
  at >= text.length || text[at] === '\n' || (text[at] === '\r' && (text[at + 1] ?? '\n') === '\n')

export function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

export function skipBlanks(text: string, at: number): number {
  let next = at
  while (text[next] === ' ' || text[next] === '\t') next++
  return next
}
