import { RefusedError } from '../../errors/refused-error.ts'
import { show } from '../../errors/show.ts'
import { isObject } from '../../json/is-object.ts'

/** One step into a value: a member, an element from 0, or every element. */
export type PathStep = { name: string } | { index: number } | { every: true }

/** Where a value lies, from the whole message (`$`) or from one record of it (`@`). */
type JsonPath = { from: 'message' | 'record'; steps: readonly PathStep[] }

const STEPS_MAXIMUM = 32
const INDEX_DIGITS_MAXIMUM = 9
const ENDS_NAME = /[.[\]'"\s*]/g

/**
 * Reads `$` or `@` followed by `.name`, `['any name']`, `[0]` and `[*]`.
 *
 * In quotes a backslash makes the next character literal. Throws a `RefusedError` for any other text,
 * with the position of the error, from 1.
 */
export function parseJsonPath(text: string): JsonPath {
  const first = text[0]
  if (first !== '$' && first !== '@') throw refuse(text, 0, '"$" or "@"')
  const steps: PathStep[] = []
  for (let at = 1; at < text.length;) {
    if (steps.length === STEPS_MAXIMUM) throw refuse(text, at, `at most ${STEPS_MAXIMUM} steps`)
    const read = readStep(text, at)
    steps.push(read.step)
    at = read.end
  }
  return { from: first === '$' ? 'message' : 'record', steps }
}

/** All values at a path; without `[*]` at most one. */
export function selectAll({ steps }: JsonPath, value: unknown): unknown[] {
  let found = [value]
  for (const step of steps)
    found =
      'every' in step
        ? found.flatMap((one): unknown[] => (Array.isArray(one) ? one : []))
        : found.map((one) => descend(step, one)).filter((one) => one !== undefined)
  return found
}

/** The value at a path without `[*]`; undefined where there is none. */
export function selectOne({ steps }: JsonPath, value: unknown): unknown {
  let found = value
  for (const step of steps) {
    if ('every' in step) throw new RangeError('a path with [*] leads to more than one value')
    found = descend(step, found)
  }
  return found
}

export const isSingle = ({ steps }: JsonPath): boolean => steps.every((step) => !('every' in step))

function descend(step: Exclude<PathStep, { every: true }>, value: unknown): unknown {
  if ('index' in step) return Array.isArray(value) ? value[step.index] : undefined
  if (!isObject(value)) return undefined
  return Object.hasOwn(value, step.name) ? value[step.name] : undefined
}

type ParsedStep = { step: PathStep; end: number }

function readStep(text: string, at: number): ParsedStep {
  if (text[at] === '.') return readName(text, at + 1)
  if (text[at] !== '[') throw refuse(text, at, '"." or "["')
  const next = text[at + 1]
  if (next === "'" || next === '"') return readQuoted(text, at + 1, next)
  if (next === '*') return { step: { every: true }, end: close(text, at + 2) }
  let end = at + 1
  while (isDigit(text[end])) end++
  if (end === at + 1) throw refuse(text, end, 'an index, a name in quotes or *')
  if (end - at - 1 > INDEX_DIGITS_MAXIMUM)
    throw refuse(text, at + 1, `an index of at most ${INDEX_DIGITS_MAXIMUM} digits`)
  return { step: { index: Number(text.slice(at + 1, end)) }, end: close(text, end) }
}

function readName(text: string, start: number): ParsedStep {
  ENDS_NAME.lastIndex = start
  const end = ENDS_NAME.exec(text)?.index ?? text.length
  if (end === start) throw refuse(text, start, "a name; one with odd characters is written ['…']")
  return { step: { name: text.slice(start, end) }, end }
}

function readQuoted(text: string, start: number, quote: string): ParsedStep {
  let name = ''
  let at = start + 1
  while (at < text.length && text[at] !== quote) {
    if (text[at] === '\\') at++
    name += text[at] ?? ''
    at++
  }
  if (at >= text.length) throw refuse(text, text.length, `the closing ${quote}`)
  return { step: { name }, end: close(text, at + 1) }
}

function close(text: string, at: number): number {
  if (text[at] !== ']') throw refuse(text, at, '"]"')
  return at + 1
}

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= '0' && character <= '9'

const refuse = (text: string, at: number, expected: string) =>
  new RefusedError(
    'invalid',
    `the path ${show(text)} is wrong at position ${at + 1}: expected ${expected}`,
  )
