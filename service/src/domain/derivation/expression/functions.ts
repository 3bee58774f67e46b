/** A function of formulas: how many arguments it takes, and what it gives. */
export type FormulaFunction = Readonly<{
  least: number
  most: number
  apply(...values: number[]): number
}>

const one = (apply: (value: number) => number): FormulaFunction => ({ least: 1, most: 1, apply })
const two = (apply: (a: number, b: number) => number): FormulaFunction => ({
  least: 2,
  most: 2,
  apply,
})
const many = (apply: (...values: number[]) => number): FormulaFunction => ({
  least: 1,
  most: Infinity,
  apply,
})

/** The functions of formulas by name. Angles are in radians; each gives NaN where one goes in. */
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

/** The names that always mean the same number. */
export const CONSTANTS: ReadonlyMap<string, number> = new Map([['pi', Math.PI]])

/** `a ^ b`. In JavaScript NaN ^ 0 is 1, and a missing value would become one. */
export function power(base: number, exponent: number): number {
  return Number.isNaN(base) ? NaN : base ** exponent
}

/** In JavaScript the infinite side wins over one that is missing. */
function hypot(...sides: number[]): number {
  return sides.some(Number.isNaN) ? NaN : Math.hypot(...sides)
}

function roundHalfAway(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value))
}
