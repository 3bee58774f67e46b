import type { FastifySchemaCompiler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Errors } from 'typebox/value'
import { RefusedError } from '../../errors/refused-error.ts'
import { describeSchema } from '../../schemas/describe-schema.ts'
import { asNode, type SchemaNode } from '../../schemas/schema-node.ts'
import { coerceAll } from './coerce.ts'

const PARTS: Record<string, string> = {
  params: 'path parameter',
  querystring: 'query parameter',
  body: 'body member',
}

/** A part of a request as its schema has it, or why it is none. */
type ReadPart<Value> = { value: Value; error?: never } | { error: RefusedError }

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = '' }) =>
  httpPart === 'body' ? bodyReader(schema) : partReader(schema, httpPart)

/** Reads a part of a request as its schema says; a refusal names the place and what was expected. */
export function partReader<Schema extends TSchema>(
  schema: Schema,
  httpPart: string,
): (input: unknown) => ReadPart<Static<Schema>> {
  const part = PARTS[httpPart] ?? 'value'
  const node = asNode(schema)
  // Compiled at the first request: most services never get one of most operations.
  let validator: Validator<{}, Schema> | undefined

  return (input) => {
    const value = coerceAll(node, input)
    // A list that is far too long is refused before its elements are checked.
    const long = findTooLong(node, value)
    if (long !== undefined) return { error: refuse(mustBe(part, ...long)) }
    validator ??= Compile(schema)
    if (validator.Check(value)) return { value }
    return { error: refuse(describeFirst(schema, value, part)) }
  }
}

function bodyReader(schema: TSchema): (input: unknown) => ReadPart<unknown> {
  const read = partReader(schema, 'body')
  return (input) => {
    if ('~optional' in schema && (input === undefined || input === null))
      return { value: undefined }
    if (!isObject(input))
      return { error: refuse(`the body must be an object: ${members(asNode(schema))}`) }
    // Forms hold texts only, JSON holds values; null is how some clients write "left out".
    const given = Object.entries(input).filter(([, value]) => value !== null)
    return read(Object.fromEntries(given))
  }
}

const refuse = (sentence: string) => new RefusedError('invalid', sentence)

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const findTooLong = ({ properties = {} }: SchemaNode, value: Record<string, unknown>) =>
  Object.entries(properties).find(([name, { type, maxItems = Infinity }]) => {
    const list = value[name]
    return type === 'array' && Array.isArray(list) && list.length > maxItems
  })

const mustBe = (part: string, place: string, node: SchemaNode): string =>
  `the ${part} "${place}" must be ${describeSchema(node)}`

const members = ({ required = [], properties = {} }: SchemaNode): string =>
  (required.length > 0 ? required : Object.keys(properties)).join(', ')

/** The first thing that is wrong. */
function describeFirst(schema: TSchema, value: Record<string, unknown>, part: string): string {
  const { required, properties = {} } = asNode(schema)
  const missing = required?.find((name) => value[name] === undefined)
  if (missing !== undefined)
    return `the ${part} "${missing}" is missing: it must be ${describeSchema(properties[missing] ?? {})}`

  const [first] = Errors(schema, value)
  const [name = '', ...inner] = (first?.instancePath ?? '').split('/').slice(1)
  const property = properties[name] ?? {}
  if (Array.isArray(value[name]) && property.type !== 'array')
    return `the ${part} "${name}" is given more than once, with different values`
  const isItem = property.type === 'array' && inner.length > 0
  const place = isItem ? `${name}[${inner[0]}]` : name
  return mustBe(part, place, isItem ? (property.items ?? {}) : property)
}
