import { CONSTANTS, FUNCTIONS, type FormulaFunction } from './functions.ts'
import { refuseAt, tokenize, type FormulaToken } from './tokens.ts'
import { countOf } from '../../../errors/show.ts'

/** A formula as a tree. */
export type Expression = Readonly<
  | { type: 'number'; value: number }
  | { type: 'name'; name: string }
  | { type: 'negation'; operand: Expression }
  | { type: 'operation'; sign: OperationSign; left: Expression; right: Expression }
  | { type: 'call'; apply: FormulaFunction['apply']; operands: readonly Expression[] }
  | { type: 'choice'; condition: Expression; whenTrue: Expression; otherwise: Expression }
>

export type OperationSign = '+' | '-' | '*' | '/' | '^' | '<' | '<=' | '>' | '>=' | '==' | '!='

/** Enough characters for the formula of any calibration sheet. */
export const MAX_FORMULA_LENGTH = 1000

/** The maximum nesting of parentheses, calls, powers and minus signs. */
export const MAX_FORMULA_DEPTH = 50

/**
 * Parses a formula: numbers, names, `+ - * / ^`, comparisons, functions and `if(condition, a, b)`.
 *
 * `^` is right-associative and binds before a minus sign: -x^2 is -(x^2). Refuses other texts; the
 * error names the character, from 1, and what was expected there.
 */
export function parseExpression(text: string): Expression {
  if (text.length > MAX_FORMULA_LENGTH) {
    const place = MAX_FORMULA_LENGTH + 1
    refuseAt(place, `expected an end, a formula has at most ${MAX_FORMULA_LENGTH} characters`)
  }
  const { tokens, end } = tokenize(text)
  const parser = new Parser(tokens, end)
  const expression = parser.readComparison(0)
  if (parser.next.type !== 'end') parser.refuse('an operator or the end')
  return expression
}

const COMPARISONS: readonly OperationSign[] = ['<', '<=', '>', '>=', '==', '!=']
const SUM: readonly OperationSign[] = ['+', '-']
const PRODUCT: readonly OperationSign[] = ['*', '/']

class Parser {
  readonly #tokens: readonly FormulaToken[]
  readonly #end: FormulaToken
  #index = 0

  constructor(tokens: readonly FormulaToken[], end: FormulaToken) {
    this.#tokens = tokens
    this.#end = end
  }

  get next(): FormulaToken {
    return this.#tokens[this.#index] ?? this.#end
  }

  refuse(expected: string): never {
    const { at, text } = this.next
    return refuseAt(at, `expected ${expected}, found ${text === '' ? 'the end' : text}`)
  }

  readComparison(depth: number): Expression {
    const left = this.#readSum(depth)
    const sign = this.#acceptOneOf(COMPARISONS)
    if (sign === undefined) return left
    const right = this.#readSum(depth)
    // `a < b < c` would not mean what its author expects.
    if (COMPARISONS.some((other) => this.#isSign(other)))
      this.refuse('one comparison, or parentheses around the first')
    return { type: 'operation', sign, left, right }
  }

  #readSum(depth: number): Expression {
    let left = this.#readProduct(depth)
    for (;;) {
      const sign = this.#acceptOneOf(SUM)
      if (sign === undefined) return left
      left = { type: 'operation', sign, left, right: this.#readProduct(depth) }
    }
  }

  #readProduct(depth: number): Expression {
    let left = this.#readSigned(depth)
    for (;;) {
      const sign = this.#acceptOneOf(PRODUCT)
      if (sign === undefined) return left
      left = { type: 'operation', sign, left, right: this.#readSigned(depth) }
    }
  }

  #readSigned(depth: number): Expression {
    if (depth > MAX_FORMULA_DEPTH) {
      refuseAt(this.next.at, `expected at most ${MAX_FORMULA_DEPTH} levels inside each other`)
    }
    if (this.#accept('-')) return { type: 'negation', operand: this.#readSigned(depth + 1) }
    const base = this.#readPrimary(depth)
    if (!this.#accept('^')) return base
    return { type: 'operation', sign: '^', left: base, right: this.#readSigned(depth + 1) }
  }

  #readPrimary(depth: number): Expression {
    const token = this.next
    if (token.type === 'number') {
      this.#index++
      return { type: 'number', value: token.value }
    }
    if (token.type === 'name') {
      this.#index++
      return this.#readNamed(token, depth)
    }
    if (!this.#accept('(')) this.refuse('a number, a name or (')
    const inner = this.readComparison(depth + 1)
    this.#close('an operator or )')
    return inner
  }

  #readNamed({ text: name, at }: FormulaToken, depth: number): Expression {
    const called = FUNCTIONS.get(name)
    if (called === undefined && name !== 'if') {
      if (this.#isSign('(')) {
        const all = ['if', ...FUNCTIONS.keys()].join(', ')
        refuseAt(at, `there is no function ${name}, expected one of ${all}`)
      }
      const constant = CONSTANTS.get(name)
      return constant === undefined ? { type: 'name', name } : { type: 'number', value: constant }
    }
    if (!this.#accept('(')) this.refuse(`( after the function ${name}`)
    const operands = this.#readOperands(depth + 1)
    const { minimum, maximum } = called ?? { minimum: 3, maximum: 3 }
    if (operands.length >= minimum && operands.length <= maximum) {
      if (called !== undefined) return { type: 'call', apply: called.apply, operands }
      const [condition, whenTrue, otherwise] = operands
      if (condition !== undefined && whenTrue !== undefined && otherwise !== undefined)
        return { type: 'choice', condition, whenTrue, otherwise }
    }
    const count = maximum === Infinity ? 'at least 1 argument' : countOf(minimum, 'argument')
    return refuseAt(at, `expected ${count} of ${name}, found ${operands.length}`)
  }

  #readOperands(depth: number): Expression[] {
    const operands = [this.readComparison(depth)]
    while (this.#accept(',')) operands.push(this.readComparison(depth))
    this.#close('an operator, a comma or )')
    return operands
  }

  #close(expected: string): void {
    if (!this.#accept(')')) this.refuse(expected)
  }

  #isSign(sign: string): boolean {
    return this.next.type === 'sign' && this.next.text === sign
  }

  #accept(sign: string): boolean {
    const isNext = this.#isSign(sign)
    if (isNext) this.#index++
    return isNext
  }

  #acceptOneOf(signs: readonly OperationSign[]): OperationSign | undefined {
    return signs.find((sign) => this.#accept(sign))
  }
}
