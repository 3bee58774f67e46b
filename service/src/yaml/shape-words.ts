import { shorten } from '../errors/show.ts'
import { Check } from 'typebox/schema'
import { nearMiss } from './near-miss.ts'
import type { Shape } from './shape.ts'

/** What a shape accepts: `a whole number from 1 to 2147483647`. */
export function describeExpected(shape: Shape): string {
  if (shape.title !== undefined) return shape.title
  if (shape.anyOf !== undefined) return shape.anyOf.map(describeExpected).join(' or ')
  if (shape.const !== undefined) return `\`${String(shape.const)}\``
  if (shape.enum !== undefined) return `one of ${shape.enum.map(String).join(', ')}`
  switch (shape.type) {
    case 'integer':
      return `a whole number${range(shape)}`
    case 'number':
      return `a number${range(shape)}`
    case 'string':
      return shape.minLength === undefined ? 'a text' : 'a text that is not empty'
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return shape.minItems === undefined ? 'a list' : 'a list of at least one'
    case 'object':
      return 'a mapping (`key: value`)'
    default:
      return 'any value'
  }
}

/** What stands there instead, with a hint where the quotes are the trouble. */
export function describeFound(value: unknown, shape: Shape): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  if (shape.writeOnly === true) return 'something else'
  if (typeof value === 'string') {
    if (value === '') return 'an empty text'
    return `${JSON.stringify(shorten(value))}${quotesOff(value, shape)}${slip(value, shape)}`
  }
  const isText = shape.type === 'string' && Check(shape, String(value))
  const hint = isText ? '; put it in quotes to make it a text' : ''
  return `${String(value)}${hint}`
}

function range({ minimum, maximum, exclusiveMinimum }: Shape): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` from ${minimum} on`
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`
  return ''
}

function quotesOff(text: string, { type }: Shape): string {
  const isNumeral = (type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)
  const isBoolean = type === 'boolean' && /^(true|false)$/.test(text)
  return isNumeral || isBoolean ? '; write it without quotes' : ''
}

function slip(text: string, shape: Shape): string {
  const branches = shape.anyOf ?? [shape]
  const words = branches.flatMap((branch) => branch.enum ?? (branch.const ? [branch.const] : []))
  const meant = nearMiss(text, words.map(String))
  return meant === undefined ? '' : ` (did you mean ${meant}?)`
}
