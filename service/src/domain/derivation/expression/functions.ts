/** A function of formulas and the number of its arguments. */
export type FormulaFunction = Readonly<{
  minimum: number
  maximum: number
  apply(...values: number[]): number
}>

const one = (apply: (value: number) => number): FormulaFunction => ({
  minimum: 1,
  maximum: 1,
  apply,
})
const two = (apply: (a: number, b: number) => number): FormulaFunction => ({
  minimum: 2,
  maximum: 2,
  apply,
})
const many = (apply: (...values: number[]) => number): FormulaFunction => ({
  minimum: 1,
  maximum: Infinity,
  apply,
})

/** The functions of formulas by name. Angles are in radians; NaN as an argument returns NaN. */
export const FUNCTIONS: ReadonlyMap<string, FormulaFunction> = new Map([
  ['sin', one(Math.sin)],
  ['cos', one(Math.cos)],
  ['tan', one(Math.tan)],
  ['asin', one(Math.asin)],
  ['acos', one(Math.acos)],
  ['atan', one(Math.atan)],
  ['atan2', two(Math.atan2)],
  ['sqrt', one(Math.sqrt)],
  ['abs', one(Math.abs)],
  ['ln', one(Math.log)],
  ['log10', one(Math.log10)],
  ['exp', one(Math.exp)],
  ['min', many(Math.min)],
  ['max', many(Math.max)],
  ['round', one(roundHalfAway)],
  ['floor', one(Math.floor)],
  ['ceil', one(Math.ceil)],
  ['pow', two(power)],
  ['hypot', many(hypot)],
])

/** The names with a fixed value. */
export const CONSTANTS: ReadonlyMap<string, number> = new Map([['pi', Math.PI]])

/** Returns `a ^ b`, and NaN for a base of NaN: in JavaScript NaN ** 0 is 1. */
export function power(base: number, exponent: number): number {
  return Number.isNaN(base) ? NaN : base ** exponent
}

/** Returns NaN for any side of NaN: in JavaScript an infinite side takes precedence. */
function hypot(...sides: number[]): number {
  return sides.some(Number.isNaN) ? NaN : Math.hypot(...sides)
}

function roundHalfAway(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value))
}
