import type { SchemaNode } from '../../schemas/schema-node.ts'

type OpenApiSchema = Record<string, unknown>

/** Converts a schema of the contract to OpenAPI 3.1, without the project's own keywords. */
export function toOpenApi(node: SchemaNode): OpenApiSchema {
  const {
    title: _title,
    list: _list,
    flag: _flag,
    notEmpty: _notEmpty,
    plain,
    properties,
    required,
    items,
    anyOf,
    ...rest
  } = node
  if (plain !== undefined) return toOpenApi(properties?.[plain] ?? {})
  const schema: OpenApiSchema = { ...rest }
  if (node.format === 'binary') schema['type'] = 'string'
  if (items !== undefined) schema['items'] = toOpenApi(items)
  if (anyOf !== undefined) Object.assign(schema, toChoice(anyOf))
  if (properties === undefined) return schema

  schema['properties'] = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, toOpenApi(property)]),
  )
  // A client may leave out a member with a default.
  const requiredOfClient = required?.filter((name) => properties[name]?.default === undefined) ?? []
  if (requiredOfClient.length > 0) schema['required'] = requiredOfClient
  return schema
}

/** Several constant texts become one `enum`. */
function toChoice(choices: readonly SchemaNode[]): OpenApiSchema {
  if (choices.every((choice) => typeof choice.const === 'string'))
    return { type: 'string', enum: choices.map((choice) => choice.const) }
  return { anyOf: choices.map(toOpenApi) }
}
