import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
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

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  requestReader(schema, httpPart)

/** Reads a part of a request as its schema says; a refusal names the place and what was expected. */
export function requestReader(
  schema: TSchema,
  httpPart: string | undefined,
): (input: unknown) => { value: unknown; error?: never } | { error: RefusedError } {
  const part = PARTS[httpPart ?? ''] ?? 'value'
  const node = asNode(schema)
  const isOptional = '~optional' in schema
  // Made at the first request: most operations of most services are never asked.
  let validator: ReturnType<typeof Compile> | undefined

  return (input: unknown) => {
    if (httpPart === 'body' && isOptional && (input ?? undefined) === undefined)
      return { value: undefined }
    if (httpPart === 'body' && !isObject(input))
      return { error: new RefusedError('invalid', `the body must be an object: ${members(node)}`) }

    const value = httpPart === 'body' ? readBody(node, input) : coerceAll(node, input)
    // Whoever sends far too many need not wait until each was looked at, and nobody else either.
    const long = findTooLong(node, value)
    if (long !== undefined)
      return { error: new RefusedError('invalid', wrong(part, long, node.properties![long]!)) }
    validator ??= Compile(schema)
    if (validator.Check(value)) return { value }
    return { error: new RefusedError('invalid', refusal(schema, value, part)) }
  }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Forms hold texts only, JSON holds values; null is how some clients write "left out". */
function readBody(node: SchemaNode, input: unknown): Record<string, unknown> {
  const given = Object.entries(input as Record<string, unknown>)
  return coerceAll(node, Object.fromEntries(given.filter(([, value]) => value !== null)))
}

const findTooLong = ({ properties = {} }: SchemaNode, value: Record<string, unknown>) =>
  Object.keys(properties).find((name) => {
    const { type, maxItems = Infinity } = properties[name]!
    const list = value[name]
    return type === 'array' && Array.isArray(list) && list.length > maxItems
  })

const wrong = (part: string, place: string, node: SchemaNode): string =>
  `the ${part} "${place}" must be ${describeSchema(node)}`

const members = ({ required = [], properties = {} }: SchemaNode): string =>
  (required.length > 0 ? required : Object.keys(properties)).join(', ')

function refusal(schema: TSchema, value: Record<string, unknown>, part: string): string {
  const node = asNode(schema)
  const missing = node.required?.find((name) => value[name] === undefined)
  if (missing !== undefined)
    return `the ${part} "${missing}" is missing: it must be ${describeSchema(node.properties?.[missing] ?? {})}`

  const [first] = Errors(schema, value)
  const [name = '', ...inner] = (first?.instancePath ?? '').split('/').slice(1)
  const property = node.properties?.[name] ?? {}
  if (Array.isArray(value[name]) && property.type !== 'array')
    return `the ${part} "${name}" is given more than once, with different values`
  const isItem = property.type === 'array' && inner.length > 0
  const place = isItem ? `${name}[${inner[0]}]` : name
  return wrong(part, place, isItem ? (property.items ?? {}) : property)
}
