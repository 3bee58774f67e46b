import { RefusedError } from '../../../errors/refused-error.ts'

/** A token of a formula; `at` is the position of its first character, from 1. */
export type FormulaToken = Readonly<
  | { type: 'number'; text: string; at: number; value: number }
  | { type: 'name' | 'sign' | 'end'; text: string; at: number }
>

const BLANK = /\s+/uy
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/uy
// Decimal digits only: x² is not a name.
const NAME = /[\p{L}_][\p{L}\p{M}\p{Nd}_]*/uy
const SIGN = /<=|>=|==|!=|[-+*/^(),<>]/uy

/** Splits a formula into tokens and an `end`. Refuses characters that are in no formula. */
export function tokenize(text: string): { tokens: FormulaToken[]; end: FormulaToken } {
  const tokens: FormulaToken[] = []
  let index = 0
  let at = 1
  while (index < text.length) {
    let consumed = match(BLANK, text, index)
    if (consumed === undefined) {
      const token = readToken(text, index, at)
      tokens.push(token)
      consumed = token.text
    }
    at += Array.from(consumed).length
    index += consumed.length
  }
  return { tokens, end: { type: 'end', text: '', at } }
}

function readToken(text: string, index: number, at: number): FormulaToken {
  const digits = match(NUMBER, text, index)
  if (digits !== undefined) return readNumber(digits, at)
  const name = match(NAME, text, index)
  if (name !== undefined) return { type: 'name', text: name, at }
  const sign = match(SIGN, text, index)
  if (sign !== undefined) return { type: 'sign', text: sign, at }

  const [found] = text.slice(index)
  const expected =
    found === '=' ? 'expected == for a comparison' : 'expected a number, name or sign'
  return refuseAt(at, `${expected}, found ${JSON.stringify(found)}`)
}

function readNumber(text: string, at: number): FormulaToken {
  const value = Number(text)
  if (Number.isFinite(value)) return { type: 'number', text, at, value }
  return refuseAt(at, `expected a number below 1.8e308, found ${text}`)
}

function match(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index
  return pattern.exec(text)?.[0]
}

/** Refuses a formula; the error names the character. */
export function refuseAt(at: number, sentence: string): never {
  throw new RefusedError('invalid', `character ${at}: ${sentence}`)
}
