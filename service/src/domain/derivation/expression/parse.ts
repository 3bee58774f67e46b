import { CONSTANTS, FUNCTIONS } from './functions.ts'
import { refuseAt, tokenize, type FormulaToken } from './tokens.ts'

/** A formula as a tree. */
export type Expression = Readonly<
  | { type: 'number'; value: number }
  | { type: 'name'; name: string }
  | { type: 'negation'; operand: Expression }
  | { type: 'operation'; sign: OperationSign; left: Expression; right: Expression }
  | { type: 'call'; name: string; operands: readonly Expression[] }
  | { type: 'choice'; condition: Expression; whenTrue: Expression; otherwise: Expression }
>

export type OperationSign = '+' | '-' | '*' | '/' | '^' | '<' | '<=' | '>' | '>=' | '==' | '!='

/** Room for every formula of a calibration sheet; a longer text is a mistake. */
export const MAX_FORMULA_LENGTH = 1000

/** Parentheses, calls, powers and minus signs inside each other; the call stack holds many more. */
export const MAX_FORMULA_DEPTH = 50

/**
 * Reads a formula: numbers, names, `+ - * / ^`, comparisons, functions and `if(condition, a, b)`.
 *
 * `^` binds from the right and before a minus sign: -x^2 is -(x^2). Refuses anything else with the
 * character, counted from 1, and what was expected there.
 */
export function parseExpression(text: string): Expression {
  if (text.length > MAX_FORMULA_LENGTH) {
    const place = MAX_FORMULA_LENGTH + 1
    refuseAt(place, `expected an end, a formula has at most ${MAX_FORMULA_LENGTH} characters`)
  }
  const reader = new Parser(tokenize(text))
  const expression = reader.readComparison(0)
  if (reader.next.type !== 'end') reader.refuse('an operator or the end')
  return expression
}

const COMPARISONS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', '==', '!='])

class Parser {
  readonly #tokens: readonly FormulaToken[]
  #index = 0

  constructor(tokens: readonly FormulaToken[]) {
    this.#tokens = tokens
  }

  get next(): FormulaToken {
    return this.#tokens[this.#index]!
  }

  refuse(expected: string): never {
    const { at, text } = this.next
    return refuseAt(at, `expected ${expected}, found ${text === '' ? 'the end' : text}`)
  }

  readComparison(depth: number): Expression {
    const left = this.#readSum(depth)
    if (!this.#isSign(COMPARISONS)) return left
    const sign = this.#take() as OperationSign
    const right = this.#readSum(depth)
    // a < b < c means something else to a computer than to a reader.
    if (this.#isSign(COMPARISONS)) this.refuse('one comparison, or parentheses around the first')
    return { type: 'operation', sign, left, right }
  }

  #readSum(depth: number): Expression {
    let left = this.#readProduct(depth)
    while (this.#isSign(SUM)) {
      const sign = this.#take() as OperationSign
      left = { type: 'operation', sign, left, right: this.#readProduct(depth) }
    }
    return left
  }

  #readProduct(depth: number): Expression {
    let left = this.#readSigned(depth)
    while (this.#isSign(PRODUCT)) {
      const sign = this.#take() as OperationSign
      left = { type: 'operation', sign, left, right: this.#readSigned(depth) }
    }
    return left
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
      this.#take()
      return { type: 'number', value: token.value }
    }
    if (token.type === 'name') {
      this.#take()
      return this.#readNamed(token, depth)
    }
    if (!this.#accept('(')) this.refuse('a number, a name or (')
    const inner = this.readComparison(depth + 1)
    this.#close('an operator or )')
    return inner
  }

  #readNamed({ text: name, at }: FormulaToken, depth: number): Expression {
    const known = FUNCTIONS.get(name)
    if (known === undefined && name !== 'if') {
      if (this.#isSign(OPEN)) {
        const all = ['if', ...FUNCTIONS.keys()].join(', ')
        refuseAt(at, `there is no function ${name}, expected one of ${all}`)
      }
      const constant = CONSTANTS.get(name)
      return constant === undefined ? { type: 'name', name } : { type: 'number', value: constant }
    }
    if (!this.#accept('(')) this.refuse(`( after the function ${name}`)
    const operands = this.#readOperands(depth + 1)
    const { least, most } = known ?? { least: 3, most: 3 }
    if (operands.length < least || operands.length > most) {
      const count = most === Infinity ? 'at least 1 argument' : plural(least, 'argument')
      refuseAt(at, `expected ${count} of ${name}, found ${operands.length}`)
    }
    if (known !== undefined) return { type: 'call', name, operands }
    const [condition, whenTrue, otherwise] = operands as [Expression, Expression, Expression]
    return { type: 'choice', condition, whenTrue, otherwise }
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

  #isSign(signs: ReadonlySet<string>): boolean {
    return this.next.type === 'sign' && signs.has(this.next.text)
  }

  #accept(sign: string): boolean {
    const isThere = this.next.type === 'sign' && this.next.text === sign
    if (isThere) this.#take()
    return isThere
  }

  #take(): string {
    return this.#tokens[this.#index++]!.text
  }
}

const SUM: ReadonlySet<string> = new Set(['+', '-'])
const PRODUCT: ReadonlySet<string> = new Set(['*', '/'])
const OPEN: ReadonlySet<string> = new Set(['('])

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
