import { RefusedError } from '../../../errors/refused-error.ts'

/** A piece of a formula; `at` is the place of its first character, counted from 1. */
export type FormulaToken = Readonly<
  | { type: 'number'; text: string; at: number; value: number }
  | { type: 'name' | 'sign' | 'end'; text: string; at: number }
>

const BLANK = /\s+/uy
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/uy
// Decimal digits only: x² shall not be a name.
const NAME = /[\p{L}_][\p{L}\p{M}\p{Nd}_]*/uy
const SIGN = /<=|>=|==|!=|[-+*/^(),<>]/uy

/** The tokens of a formula, an `end` last. Refuses characters that no formula has. */
export function tokenize(text: string): FormulaToken[] {
  const tokens: FormulaToken[] = []
  let index = 0
  let at = 1
  while (index < text.length) {
    const piece = match(BLANK, text, index)
    if (piece === undefined) tokens.push(readToken(text, index, at))
    const length = piece?.length ?? tokens.at(-1)!.text.length
    at += Array.from(text.slice(index, index + length)).length
    index += length
  }
  tokens.push({ type: 'end', text: '', at })
  return tokens
}

function readToken(text: string, index: number, at: number): FormulaToken {
  const digits = match(NUMBER, text, index)
  if (digits !== undefined) return readNumber(digits, at)
  const name = match(NAME, text, index)
  if (name !== undefined) return { type: 'name', text: name, at }
  const sign = match(SIGN, text, index)
  if (sign !== undefined) return { type: 'sign', text: sign, at }

  const [found] = text.slice(index)
  const meant = found === '=' ? 'expected == for a comparison' : 'expected a number, name or sign'
  return refuseAt(at, `${meant}, found ${JSON.stringify(found)}`)
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

/** Refuses a formula for what stands at a character of it. */
export function refuseAt(at: number, sentence: string): never {
  throw new RefusedError('invalid', `character ${at}: ${sentence}`)
}
