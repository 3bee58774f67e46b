/** Immutable numbers for several readers, who get copies. */
export class FixedNumbers {
  readonly length: number
  readonly #values: Float64Array

  /** The values belong to the object from now on. */
  constructor(values: Float64Array) {
    this.#values = values
    this.length = values.length
  }

  /** Returns a copy of the values from index `first` to before `end`. */
  slice(first: number, end: number): Float64Array<ArrayBuffer> {
    return new Float64Array(this.#values.subarray(first, end))
  }

  /** Yields copies of `width` values each; the last may have fewer. */
  *parts(width: number): Generator<Float64Array<ArrayBuffer>> {
    for (let first = 0; first < this.length; first += width) yield this.slice(first, first + width)
  }

  /** Whether all numbers are finite. */
  areFinite(): boolean {
    return this.#values.every(Number.isFinite)
  }
}

/** An immutable value for several readers. */
export type Fixed<Value> = Value extends Float64Array
  ? FixedNumbers
  : Value extends object
    ? { readonly [Name in keyof Value]: Fixed<Value[Name]> }
    : Value

/** Makes a value of plain objects, lists and numbers immutable; its lists of numbers are not copied. */
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
