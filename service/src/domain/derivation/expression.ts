import { compileExpression } from './expression/compile.ts'
import { parseExpression } from './expression/parse.ts'

export { MAX_FORMULA_DEPTH, MAX_FORMULA_LENGTH } from './expression/parse.ts'

/** A formula of the site file, compiled. */
type Formula = Readonly<{
  /** The names in the formula, each once, in the order of the text. */
  names: readonly string[]
  /**
   * Returns the result for the values of the names, in their order. NaN is a missing value.
   * Undefined if a needed value is missing or the result is not finite.
   */
  evaluate(values: readonly number[]): number | undefined
}>

/** Parses a formula. The error of a refused one names the character, from 1, and what was expected. */
export function readFormula(text: string): Formula {
  const indexes = new Map<string, number>()
  const compute = compileExpression(parseExpression(text), (name) =>
    indexes.getOrInsertComputed(name, () => indexes.size),
  )
  return {
    names: [...indexes.keys()],
    evaluate(values) {
      const result = compute(values)
      return Number.isFinite(result) ? result : undefined
    },
  }
}
