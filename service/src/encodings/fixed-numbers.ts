/** Numbers that several read and nobody can change: what is read of them is a copy. */
export class FixedNumbers {
  readonly length: number
  readonly #values: Float64Array

  /** Takes the values over. */
  constructor(values: Float64Array) {
    this.#values = values
    this.length = values.length
  }

  /** A copy from one index up to another, without it. */
  slice(first: number, end: number): Float64Array<ArrayBuffer> {
    return new Float64Array(this.#values.subarray(first, end))
  }

  /** Copies of so many at a time. */
  *parts(width: number): Generator<Float64Array<ArrayBuffer>> {
    for (let first = 0; first < this.length; first += width) yield this.slice(first, first + width)
  }

  /** Whether none is beyond the doubles. */
  areFinite(): boolean {
    return this.#values.every(Number.isFinite)
  }
}

/** A value that is read by several: nothing of it can be changed. */
export type Fixed<Value> = Value extends Float64Array
  ? FixedNumbers
  : Value extends object
    ? { readonly [Name in keyof Value]: Fixed<Value[Name]> }
    : Value

/** Takes a value of plain objects, lists and numbers over, and makes it one that nobody can change. */
export function fix<Value>(value: Value): Fixed<Value> {
  return fixAny(value) as Fixed<Value>
}

function fixAny(value: unknown): unknown {
  if (value instanceof Float64Array) return new FixedNumbers(value)
  if (Array.isArray(value)) return Object.freeze(value.map(fixAny))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, fixAny(member)])
  return Object.freeze(Object.fromEntries(members))
}
