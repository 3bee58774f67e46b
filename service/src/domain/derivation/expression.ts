import { compileExpression } from './expression/compile.ts'
import { parseExpression, type Expression } from './expression/parse.ts'

export { MAX_FORMULA_DEPTH, MAX_FORMULA_LENGTH } from './expression/parse.ts'

/** A formula of an operator's own, ready to be computed. */
export type Formula = Readonly<{
  /** The names in it, each once, in the order of the text. */
  names: readonly string[]
  /**
   * The result from the values of the names, in their order, NaN or nothing being no value.
   * Undefined when a value is missing that the result needs, or the result is not finite.
   */
  evaluate(values: readonly number[]): number | undefined
}>

/** Reads a formula; refuses with the character, counted from 1, and what was expected there. */
export function readFormula(text: string): Formula {
  const expression = parseExpression(text)
  const places = new Map<string, number>()
  for (const name of namesIn(expression)) if (!places.has(name)) places.set(name, places.size)

  const compute = compileExpression(expression, (name) => places.get(name)!)
  return {
    names: [...places.keys()],
    evaluate(values) {
      const result = compute(values)
      return Number.isFinite(result) ? result : undefined
    },
  }
}

function* namesIn(expression: Expression): Generator<string> {
  switch (expression.type) {
    case 'number':
      return
    case 'name':
      yield expression.name
      return
    case 'negation':
      yield* namesIn(expression.operand)
      return
    case 'operation':
      yield* namesIn(expression.left)
      yield* namesIn(expression.right)
      return
    case 'call':
      for (const operand of expression.operands) yield* namesIn(operand)
      return
    case 'choice':
      for (const part of [expression.condition, expression.whenTrue, expression.otherwise])
        yield* namesIn(part)
  }
}
