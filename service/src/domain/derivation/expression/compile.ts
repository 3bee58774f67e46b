import { power, type FormulaFunction } from './functions.ts'
import type { Expression, OperationSign } from './parse.ts'

/** Computes a formula from the values of its names, in their order; NaN is a missing value. */
type Evaluate = (values: readonly number[]) => number

/**
 * Compiles a formula to a function; `indexOf` returns the index of a name's value.
 *
 * Names are looked up in the order of the text. A comparison returns 1 or 0; a choice computes only
 * the side that it takes.
 */
export function compileExpression(
  expression: Expression,
  indexOf: (name: string) => number,
): Evaluate {
  const compile = (inner: Expression) => compileExpression(inner, indexOf)
  switch (expression.type) {
    case 'number': {
      const { value } = expression
      return () => value
    }
    case 'name': {
      const index = indexOf(expression.name)
      return (values) => values[index] ?? NaN
    }
    case 'negation': {
      const operand = compile(expression.operand)
      return (values) => -operand(values)
    }
    case 'operation': {
      const { sign, left, right } = expression
      return OPERATIONS[sign](compile(left), compile(right))
    }
    case 'call':
      return compileCall(expression.apply, expression.operands.map(compile))
    case 'choice': {
      const condition = compile(expression.condition)
      const whenTrue = compile(expression.whenTrue)
      const otherwise = compile(expression.otherwise)
      return (values) => {
        const chosen = condition(values)
        if (Number.isNaN(chosen)) return NaN
        return chosen === 0 ? otherwise(values) : whenTrue(values)
      }
    }
  }
}

function compileCall(apply: FormulaFunction['apply'], operands: readonly Evaluate[]): Evaluate {
  const [first, second, third] = operands
  if (first !== undefined && second === undefined) return (values) => apply(first(values))
  if (first !== undefined && second !== undefined && third === undefined)
    return (values) => apply(first(values), second(values))
  return (values) => apply(...operands.map((operand) => operand(values)))
}

type CompileOperation = (left: Evaluate, right: Evaluate) => Evaluate

const compare =
  (holds: (a: number, b: number) => boolean): CompileOperation =>
  (left, right) =>
  (values) => {
    const [a, b] = [left(values), right(values)]
    if (Number.isNaN(a) || Number.isNaN(b)) return NaN
    return holds(a, b) ? 1 : 0
  }

const OPERATIONS: Readonly<Record<OperationSign, CompileOperation>> = {
  '+': (left, right) => (values) => left(values) + right(values),
  '-': (left, right) => (values) => left(values) - right(values),
  '*': (left, right) => (values) => left(values) * right(values),
  '/': (left, right) => (values) => left(values) / right(values),
  '^': (left, right) => (values) => power(left(values), right(values)),
  '<': compare((a, b) => a < b),
  '<=': compare((a, b) => a <= b),
  '>': compare((a, b) => a > b),
  '>=': compare((a, b) => a >= b),
  '==': compare((a, b) => a === b),
  '!=': compare((a, b) => a !== b),
}
