import { grow } from './grow.ts'
import { Numbering } from './numbering.ts'

/** Below so many bytes nothing is gained by moving digits together. */
const SMALL = 1 << 20

/** What a layout says of a keyword: a single digit is there or is not, more have their places. */
const NEVER = 0
const BY_KINDS = 1
const BY_PLACES = 2

/**
 * Texts by number that differ in little but their numbers, and a search in them.
 *
 * A text is kept as its layout, in which a 0 stands for every digit, and its digits. Layouts that
 * differ only in how long their runs of digits are have one shape. A million texts have some
 * hundreds of shapes: a search looks at each once, and at the digits of those texts only whose
 * layout has the keyword's. It is exact, for keywords of any length in any language.
 */
export class Contents {
  readonly #layouts = new Numbering()
  readonly #shapes = new Numbering()
  /** Of each layout, by its number. */
  readonly #texts: string[] = []
  readonly #shapeOf: number[] = []
  /** Of each text, by its number; the digits stand from `starts` on. */
  #layoutOf = new Uint32Array(0)
  #starts = new Uint32Array(0)
  #lengths = new Uint32Array(0)
  /** Which of the ten digits there are, a bit for each. */
  #kinds = new Uint16Array(0)
  #digits = new Uint8Array(0)
  #used = 0
  #live = 0
  #size = 0

  /** Keeps the text of a number: one that is known, or the next. */
  put(number: number, text: string): void {
    if (number === this.#size) this.#makeRoom()
    const digits = digitsOf(text)
    const previous = this.#lengths[number]!
    if (digits.length > previous) {
      this.#digits = grow(this.#digits, this.#used + digits.length)
      this.#starts[number] = this.#used
      this.#used += digits.length
    }
    this.#digits.set(digits, this.#starts[number]!)
    this.#lengths[number] = digits.length
    this.#kinds[number] = kindsOf(digits)
    this.#layoutOf[number] = this.#layoutNumber(layoutOf(text))
    this.#live += digits.length - previous
    if (this.#used > 2 * this.#live + SMALL) this.#moveTogether()
  }

  /** Takes the mark from each text marked with 1 that does not contain a keyword. */
  unmark(marks: Uint8Array, keyword: string): void {
    const search = this.#searchFor(keyword)
    const [layouts, starts, digits] = [this.#layoutOf, this.#starts, this.#digits]
    const [kinds, wanted] = [this.#kinds, kindsOf(search.digits)]
    for (let number = 0; number < this.#size; number++) {
      if (marks[number] !== 1) continue
      const layout = layouts[number]!
      const response = search.responses[layout]
      if (response === NEVER || (kinds[number]! & wanted) !== wanted) marks[number] = 0
      else if (response === BY_PLACES) {
        const places = (search.places[layout] ??= search.findPlaces(layout))
        if (!isAtOne(digits, starts[number]!, places, search.digits)) marks[number] = 0
      }
    }
  }

  #searchFor(keyword: string) {
    const layout = layoutOf(keyword)
    const shape = shapeOf(layout)
    const digits = Uint8Array.from(digitsOf(keyword))
    const found = digits.length === 0 || layout === '0' ? BY_KINDS : BY_PLACES
    const byShape = Array.from(this.#shapes.texts, (one) => (one.includes(shape) ? found : NEVER))
    return {
      digits,
      responses: Uint8Array.from(this.#shapeOf, (number) => byShape[number]!),
      places: Array.from<number[] | undefined>({ length: this.#texts.length }),
      findPlaces: (number: number) => digitPlaces(this.#texts[number]!, layout),
    }
  }

  #layoutNumber(layout: string): number {
    const number = this.#layouts.of(layout)
    if (number === this.#texts.length) {
      this.#texts.push(layout)
      this.#shapeOf.push(this.#shapes.of(shapeOf(layout)))
    }
    return number
  }

  #makeRoom(): void {
    this.#size++
    this.#layoutOf = grow(this.#layoutOf, this.#size)
    this.#starts = grow(this.#starts, this.#size)
    this.#lengths = grow(this.#lengths, this.#size)
    this.#kinds = grow(this.#kinds, this.#size)
  }

  /** Texts that became longer have left gaps. */
  #moveTogether(): void {
    const digits = new Uint8Array(this.#live * 2)
    let used = 0
    for (let number = 0; number < this.#size; number++) {
      const start = this.#starts[number]!
      const length = this.#lengths[number]!
      digits.set(this.#digits.subarray(start, start + length), used)
      this.#starts[number] = used
      used += length
    }
    this.#digits = digits
    this.#used = used
  }
}

const layoutOf = (text: string): string => text.replaceAll(/[1-9]/g, '0')
const shapeOf = (layout: string): string => layout.replaceAll(/0+/g, '0')

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

function kindsOf(digits: Iterable<number>): number {
  let kinds = 0
  for (const digit of digits) kinds |= 1 << (digit - ZERO)
  return kinds
}

/** How many digits stand before each place of a layout where the wanted one begins. */
function digitPlaces(layout: string, wanted: string): number[] {
  const places: number[] = []
  let counted = 0
  let digits = 0
  for (let at = layout.indexOf(wanted); at !== -1; at = layout.indexOf(wanted, at + 1)) {
    for (; counted < at; counted++) if (layout.charCodeAt(counted) === ZERO) digits++
    places.push(digits)
  }
  return places
}

/** Whether the wanted digits stand at one of some places after a start. */
function isAtOne(
  digits: Uint8Array,
  start: number,
  places: readonly number[],
  wanted: Uint8Array,
): boolean {
  for (let next = 0; next < places.length; next++) {
    const place = start + places[next]!
    let same = 0
    while (same < wanted.length && digits[place + same] === wanted[same]) same++
    if (same === wanted.length) return true
  }
  return false
}
