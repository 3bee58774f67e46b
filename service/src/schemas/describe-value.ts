import { Check } from 'typebox/schema'
import { shorten } from '../errors/show.ts'
import { choicesOf } from './describe-schema.ts'
import { didYouMean } from './near-miss.ts'
import type { SchemaNode } from './schema-node.ts'

/** Describes a value that a schema does not accept, with a hint on wrong quotes or a misspelling. */
export function describeValue(value: unknown, schema: SchemaNode): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  if (schema.writeOnly === true) return 'something else'
  if (typeof value === 'string') {
    if (value === '') return 'an empty text'
    return `${JSON.stringify(shorten(value))}${quotesHint(value, schema)}${spellingHint(value, schema)}`
  }
  const isText = schema.type === 'string' && Check(schema, String(value))
  const hint = isText ? '; put it in quotes to make it a text' : ''
  return `${String(value)}${hint}`
}

function quotesHint(text: string, { type }: SchemaNode): string {
  const isNumeral = (type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)
  const isBoolean = type === 'boolean' && /^(true|false)$/.test(text)
  return isNumeral || isBoolean ? '; write it without quotes' : ''
}

/** Returns ` (did you mean warn?)` for a text that is almost one of the choices of a schema. */
export function spellingHint(text: unknown, schema: SchemaNode): string {
  if (typeof text !== 'string') return ''
  const branches = schema.anyOf ?? [schema]
  const choices = branches.flatMap((branch) => choicesOf(branch) ?? [])
  return didYouMean(text, choices.map(String))
}
