import type { SchemaNode } from './schema-node.ts'

/** The notation of values: a JSON object is a mapping in YAML. */
type Notation = 'json' | 'yaml'

/** Describes the values that a schema accepts, such as `a whole number from 1 to 99`. */
export function describeSchema(schema: SchemaNode, notation: Notation = 'json'): string {
  if (schema.title !== undefined) return schema.title
  const choices = choicesOf(schema)
  if (choices !== undefined)
    return choices.length === 1
      ? JSON.stringify(choices[0])
      : `one of ${choices.map(String).join(', ')}`
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((branch) => describeSchema(branch, notation)).join(' or ')
  switch (schema.type) {
    case 'integer':
      return `a whole number${unitOf(schema)}${rangeOf(schema)}`
    case 'number':
      return `a number${unitOf(schema)}${rangeOf(schema)}`
    case 'string':
      return describeText(schema)
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return describeList(schema, notation)
    case 'object':
      return notation === 'yaml' ? 'a mapping (`key: value`)' : 'an object'
    default:
      return 'any value'
  }
}

/** Returns the values that a schema lists; undefined if it lists none. */
export function choicesOf(schema: SchemaNode): unknown[] | undefined {
  if (schema.enum !== undefined) return schema.enum
  if (schema.const !== undefined) return [schema.const]
  const choices = schema.anyOf?.map(choicesOf)
  return choices?.every((values) => values !== undefined) ? choices.flat() : undefined
}

function describeText({ list, format, minLength, maxLength }: SchemaNode): string {
  if (list === true) return 'whole numbers joined by commas'
  if (format === 'uuid') return 'a uuid'
  if (maxLength !== undefined && minLength !== undefined && minLength > 1)
    return `text of ${minLength} to ${maxLength} characters`
  if (maxLength !== undefined) return `text of at most ${maxLength} characters`
  return minLength === undefined ? 'text' : 'text that is not empty'
}

function describeList({ minItems, maxItems, items }: SchemaNode, notation: Notation): string {
  const least = minItems === undefined ? '' : ' of at least one'
  const most = maxItems === undefined ? '' : ` of at most ${maxItems}`
  const isPlain = items !== undefined && items.type !== 'object' && items.anyOf === undefined
  const each = isPlain ? `, each ${describeSchema(items, notation)}` : ''
  return `a list${most === '' ? least : most}${each}`
}

const unitOf = ({ unit }: SchemaNode): string => (unit === undefined ? '' : ` of ${unit}`)

function rangeOf({ minimum, exclusiveMinimum, maximum }: SchemaNode): string {
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${most === undefined ? '' : ` and at most ${most}`}`
  if (minimum !== undefined && most !== undefined) return ` from ${minimum} to ${most}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return most === undefined ? '' : ` of at most ${most}`
}
