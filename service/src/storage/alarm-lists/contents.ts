import { grow } from './grow.ts'

const NOWHERE: readonly number[] = []
const ANYWHERE: readonly number[] = []

/** Below so many bytes nothing is gained by moving digits together. */
const SMALL = 1 << 20

/**
 * Texts by number that differ in little but their numbers, and a search in them.
 *
 * A text is kept as its shape, in which a 0 stands for every run of digits, and the runs. A million
 * texts have some hundreds of shapes: a search looks at each shape once, and at the runs of those
 * texts only whose shape has the keyword's. It is exact, for keywords of any length and language.
 */
export class Contents {
  readonly #numbers = new Map<string, number>()
  readonly #shapes: string[] = []
  #shapeOf = new Uint32Array(0)
  /** Where the runs of a text begin, and how long they are. */
  #starts = new Uint32Array(0)
  #lengths = new Uint32Array(0)
  #runs = new Uint8Array(0)
  #used = 0
  #live = 0
  #size = 0

  /** Keeps the text of a number: one that is known, or the next. */
  put(number: number, text: string): void {
    const isNew = number === this.#size
    if (isNew) this.#makeRoom()
    const runs = runsOf(text)
    const previous = this.#lengths[number]!
    if (runs.length > previous) {
      this.#runs = grow(this.#runs, this.#used + runs.length)
      this.#starts[number] = this.#used
      this.#used += runs.length
    }
    this.#runs.set(runs, this.#starts[number]!)
    this.#lengths[number] = runs.length
    this.#shapeOf[number] = this.#shapeNumber(shapeOf(text))
    this.#live += runs.length - previous
    if (this.#used > 2 * this.#live + SMALL) this.#moveTogether()
  }

  /** Tells of the numbers whether their texts contain a keyword. */
  search(keyword: string): (number: number) => boolean {
    const wanted = shapeOf(keyword)
    const pattern = patternOf(keyword)
    const isPlain = !wanted.includes('0')
    const places = this.#shapes.map((shape) => {
      if (!shape.includes(wanted)) return NOWHERE
      return isPlain ? ANYWHERE : runPlaces(shape, wanted)
    })
    const [shapes, starts, runs] = [this.#shapeOf, this.#starts, this.#runs]
    return (number) => {
      const found = places[shapes[number]!]!
      if (found === NOWHERE) return false
      if (found === ANYWHERE) return true
      return isInRuns(runs, starts[number]!, found, pattern)
    }
  }

  #shapeNumber(shape: string): number {
    const known = this.#numbers.get(shape)
    if (known !== undefined) return known
    this.#numbers.set(shape, this.#shapes.length)
    return this.#shapes.push(shape) - 1
  }

  #makeRoom(): void {
    this.#size++
    this.#shapeOf = grow(this.#shapeOf, this.#size)
    this.#starts = grow(this.#starts, this.#size)
    this.#lengths = grow(this.#lengths, this.#size)
  }

  /** Texts that became longer have left gaps. */
  #moveTogether(): void {
    const runs = new Uint8Array(this.#live * 2)
    let used = 0
    for (let number = 0; number < this.#size; number++) {
      const start = this.#starts[number]!
      const length = this.#lengths[number]!
      runs.set(this.#runs.subarray(start, start + length), used)
      this.#starts[number] = used
      used += length
    }
    this.#runs = runs
    this.#used = used
  }
}

const shapeOf = (text: string): string => text.replaceAll(/\d+/g, '0')

/** Stands before every run and after the last. */
const MARK = 0
const ZERO = '0'.charCodeAt(0)
const NINE = '9'.charCodeAt(0)
const isDigit = (code: number): boolean => code >= ZERO && code <= NINE

function runsOf(text: string): number[] {
  const runs = [MARK]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isDigit(code)) runs.push(code)
    else if (runs.at(-1) !== MARK) runs.push(MARK)
  }
  if (runs.at(-1) !== MARK) runs.push(MARK)
  return runs
}

/** A keyword may begin and end within a run. */
function patternOf(keyword: string): Pattern {
  const runs = runsOf(keyword)
  const isFromWithin = isDigit(keyword.charCodeAt(0))
  const isUpToWithin = isDigit(keyword.charCodeAt(keyword.length - 1))
  const marked = runs.slice(isFromWithin ? 1 : 0, isUpToWithin ? -1 : undefined)
  return { runs: Uint8Array.from(marked), isFromWithin }
}

type Pattern = { runs: Uint8Array; isFromWithin: boolean }

/** How many runs stand before each place of a shape where the wanted one begins. */
function runPlaces(shape: string, wanted: string): number[] {
  const places: number[] = []
  let counted = 0
  let runs = 0
  for (let at = shape.indexOf(wanted); at !== -1; at = shape.indexOf(wanted, at + 1)) {
    for (; counted < at; counted++) if (shape.charCodeAt(counted) === ZERO) runs++
    places.push(runs)
  }
  return places
}

/** Whether a pattern begins with one of some runs, which are given in their order. */
function isInRuns(
  all: Uint8Array,
  start: number,
  places: readonly number[],
  { runs, isFromWithin }: Pattern,
): boolean {
  let mark = start
  let run = 0
  for (let next = 0; next < places.length; next++) {
    for (; run < places[next]!; run++)
      do mark++
      while (all[mark] !== MARK)
    if (!isFromWithin) {
      if (isAt(all, mark, runs)) return true
      continue
    }
    for (let at = mark + 1; all[at] !== MARK; at++) if (isAt(all, at, runs)) return true
  }
  return false
}

function isAt(all: Uint8Array, start: number, wanted: Uint8Array): boolean {
  for (let at = 0; at < wanted.length; at++) if (all[start + at] !== wanted[at]) return false
  return true
}
