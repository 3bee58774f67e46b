import { grow } from './grow.ts'

/** Places in a text where a search needs no look at the digits, or never succeeds. */
const NEVER = 0
const ALWAYS = 1
const BY_DIGITS = 2

/** Below so many bytes nothing is gained by moving digits together. */
const SMALL = 1 << 20

/**
 * Texts by number that differ in little but their digits, and a search in them.
 *
 * A text is kept as its shape, in which every digit is a 0, and its digits. A million texts have
 * some hundreds of shapes: a search looks at each shape once, and at the digits of those texts only
 * whose shape has the keyword's. It is exact, for keywords of any length in any language.
 */
export class Contents {
  readonly #numbers = new Map<string, number>()
  readonly #shapes: string[] = []
  /** How many digits a shape has. */
  readonly #digitCounts: number[] = []
  #shapeOf = new Uint32Array(0)
  #digitsAt = new Uint32Array(0)
  #digits = new Uint8Array(0)
  #used = 0
  #live = 0
  #size = 0

  /** Keeps the text of a number: one that is known, or the next. */
  put(number: number, text: string): void {
    const isNew = number === this.#size
    const previous = isNew ? 0 : this.#digitCounts[this.#shapeOf[number]!]!
    if (isNew) {
      this.#size++
      this.#shapeOf = grow(this.#shapeOf, this.#size)
      this.#digitsAt = grow(this.#digitsAt, this.#size)
    }
    const digits = digitsOf(text)
    if (isNew || digits.length > previous) {
      this.#digits = grow(this.#digits, this.#used + digits.length)
      this.#digitsAt[number] = this.#used
      this.#used += digits.length
    }
    this.#digits.set(digits, this.#digitsAt[number]!)
    this.#shapeOf[number] = this.#numberOf(text)
    this.#live += digits.length - previous
    if (this.#used > 2 * this.#live + SMALL) this.#moveTogether()
  }

  /** Tells of the numbers whether their texts contain a keyword. */
  search(keyword: string): (number: number) => boolean {
    const wanted = shapeOf(keyword)
    const wantedDigits = digitsOf(keyword)
    const kinds = new Uint8Array(this.#shapes.length)
    const places: number[][] = []
    for (const [number, shape] of this.#shapes.entries()) {
      if (!shape.includes(wanted)) kinds[number] = NEVER
      else if (wantedDigits.length === 0) kinds[number] = ALWAYS
      else {
        kinds[number] = BY_DIGITS
        places[number] = digitPlaces(shape, wanted)
      }
    }
    const [shapes, digitsAt, digits] = [this.#shapeOf, this.#digitsAt, this.#digits]
    return (number) => {
      const shape = shapes[number]!
      const kind = kinds[shape]!
      if (kind !== BY_DIGITS) return kind === ALWAYS
      const start = digitsAt[number]!
      return places[shape]!.some((place) => isAt(digits, start + place, wantedDigits))
    }
  }

  #numberOf(text: string): number {
    const shape = shapeOf(text)
    let number = this.#numbers.get(shape)
    if (number === undefined) {
      number = this.#shapes.length
      this.#numbers.set(shape, number)
      this.#shapes.push(shape)
      this.#digitCounts.push(digitsOf(text).length)
    }
    return number
  }

  /** Texts that became longer have left gaps. */
  #moveTogether(): void {
    const digits = new Uint8Array(this.#live * 2)
    let used = 0
    for (let number = 0; number < this.#size; number++) {
      const start = this.#digitsAt[number]!
      const count = this.#digitCounts[this.#shapeOf[number]!]!
      digits.set(this.#digits.subarray(start, start + count), used)
      this.#digitsAt[number] = used
      used += count
    }
    this.#digits = digits
    this.#used = used
  }
}

const shapeOf = (text: string): string => text.replaceAll(/[1-9]/g, '0')

const ZERO = '0'.charCodeAt(0)
const NINE = '9'.charCodeAt(0)

function digitsOf(text: string): number[] {
  const digits: number[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= ZERO && code <= NINE) digits.push(code)
  }
  return digits
}

/** How many digits stand before each place of a shape where the wanted one begins. */
function digitPlaces(shape: string, wanted: string): number[] {
  const places: number[] = []
  let counted = 0
  let digits = 0
  for (let at = shape.indexOf(wanted); at !== -1; at = shape.indexOf(wanted, at + 1)) {
    for (; counted < at; counted++) if (shape.charCodeAt(counted) === ZERO) digits++
    places.push(digits)
  }
  return places
}

function isAt(digits: Uint8Array, start: number, wanted: readonly number[]): boolean {
  for (let at = 0; at < wanted.length; at++) if (digits[start + at] !== wanted[at]) return false
  return true
}
