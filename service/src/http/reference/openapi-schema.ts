import type { SchemaNode } from '../../schemas/schema-node.ts'

type Shown = Record<string, unknown>

/** A schema of the contract as a reader of the OpenAPI document expects it. */
export function toOpenApi(node: SchemaNode): Shown {
  const {
    title: _title,
    list: _list,
    flag: _flag,
    plain,
    properties,
    required,
    items,
    anyOf,
    ...rest
  } = node
  if (plain !== undefined) return toOpenApi(properties?.[plain] ?? {})
  const shown: Shown = { ...rest }
  if (items !== undefined) shown['items'] = toOpenApi(items)
  if (anyOf !== undefined) Object.assign(shown, toChoice(anyOf))
  if (properties === undefined) return shown

  shown['properties'] = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, toOpenApi(property)]),
  )
  // What has a default may be left out by the caller, though it is always there for the handler.
  const needed = required?.filter((name) => properties[name]?.default === undefined) ?? []
  if (needed.length > 0) shown['required'] = needed
  return shown
}

/** `"asc"` or `"desc"` is one list of values, not a choice of two schemas. */
function toChoice(choices: readonly SchemaNode[]): Shown {
  if (choices.every((choice) => typeof choice.const === 'string'))
    return { type: 'string', enum: choices.map((choice) => choice.const) }
  return { anyOf: choices.map(toOpenApi) }
}
