import type { FastifySchemaCompiler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Errors } from 'typebox/value'
import { RefusedError } from '../../errors/refused-error.ts'
import { describeSchema } from '../../schemas/describe-schema.ts'
import { asNode, type SchemaNode } from '../../schemas/schema-node.ts'
import { coerceAll } from './coerce.ts'
import { isObject } from '../../json/is-object.ts'

const PARTS: Record<string, string> = {
  params: 'path parameter',
  querystring: 'query parameter',
  body: 'body member',
}

/** A valid part of a request, or why it is not valid. */
type ParsedPart<Value> = { value: Value; error?: never } | { error: RefusedError }

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = '' }) =>
  httpPart === 'body' ? bodyReader(schema) : partReader(schema, httpPart)

/** Parses a part of a request by its schema; the error names the place and what was expected. */
export function partReader<Schema extends TSchema>(
  schema: Schema,
  httpPart: string,
): (input: unknown) => ParsedPart<Static<Schema>> {
  const part = PARTS[httpPart] ?? 'value'
  const node = asNode(schema)
  // Compiled at the first request: most services use few operations.
  let validator: Validator<{}, Schema> | undefined

  return (input) => {
    const value = coerceAll(node, isObject(input) ? input : {})
    // Before the check of elements, which takes long for a long list.
    const long = findTooLong(node, value)
    if (long !== undefined) return { error: refuse(mustBe(part, ...long)) }
    validator ??= Compile(schema)
    if (validator.Check(value)) return { value }
    return { error: refuse(describeFirst(schema, value, part)) }
  }
}

function bodyReader(schema: TSchema): (input: unknown) => ParsedPart<unknown> {
  const read = partReader(schema, 'body')
  return (input) => {
    if ('~optional' in schema && (input === undefined || input === null))
      return { value: undefined }
    if (!isObject(input))
      return { error: refuse(`the body must be an object: ${namesOf(asNode(schema))}`) }
    // Some clients write a member that they leave out as null.
    const members = Object.entries(input).filter(([, value]) => value !== null)
    return read(Object.fromEntries(members))
  }
}

const refuse = (sentence: string) => new RefusedError('invalid', sentence)

const findTooLong = ({ properties = {} }: SchemaNode, value: Record<string, unknown>) =>
  Object.entries(properties).find(([name, { type, maxItems = Infinity }]) => {
    const list = value[name]
    return type === 'array' && Array.isArray(list) && list.length > maxItems
  })

const mustBe = (part: string, place: string, node: SchemaNode): string =>
  `the ${part} "${place}" must be ${describeSchema(node)}`

const namesOf = ({ required = [], properties = {} }: SchemaNode): string =>
  (required.length > 0 ? required : Object.keys(properties)).join(', ')

const isRepeated = (value: unknown): boolean => Array.isArray(value) && value.length > 0

/** A sentence about the first problem of a value. */
function describeFirst(schema: TSchema, value: Record<string, unknown>, part: string): string {
  const { required, properties = {} } = asNode(schema)
  const missing = required?.find((name) => value[name] === undefined)
  if (missing !== undefined)
    return `the ${part} "${missing}" is missing: it must be ${describeSchema(properties[missing] ?? {})}`

  const [first] = Errors(schema, value)
  const [name = '', ...inner] = (first?.instancePath ?? '').split('/').slice(1)
  const property = properties[name] ?? {}
  if (isRepeated(value[name]) && property.type !== 'array')
    return `the ${part} "${name}" is given more than once, with different values`
  const isItem = property.type === 'array' && inner.length > 0
  const place = isItem ? `${name}[${inner[0]}]` : name
  return mustBe(part, place, isItem ? (property.items ?? {}) : property)
}
