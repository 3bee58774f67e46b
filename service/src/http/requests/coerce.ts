import { parseDecimalText } from '../../encodings/decimal-text.ts'
import type { SchemaNode } from '../../schemas/schema-node.ts'

/** Converts the texts of a query, a path or a form to the types of the schema, and adds defaults. */
export function coerceAll(
  node: SchemaNode,
  texts: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null)
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    const input = Object.hasOwn(texts, name) ? texts[name] : undefined
    const value = input === undefined ? undefined : coerce(property, input)
    const valueOrDefault = value === undefined ? property.default : value
    if (valueOrDefault !== undefined) result[name] = valueOrDefault
  }
  return result
}

/** A value that cannot be converted stays as it is, so that the validation refuses it. */
function coerce(node: SchemaNode, input: unknown): unknown {
  if (node.list === true) return coerceList(node, input)
  if (node.type === 'array') return input
  const value = Array.isArray(input) ? single(input) : input
  if (typeof value !== 'string') return value

  const text = value.trim()
  if (node.flag === true) return !/^(false|0)$/i.test(text)
  if (text === '' && !isFreeText(node)) return node.notEmpty === true ? text : undefined
  if (node.type === 'integer' || node.type === 'number') return toNumber(text)
  if (node.type === 'boolean') return toBoolean(text)
  return isFreeText(node) ? value : text
}

const isFreeText = ({ type, pattern, format }: SchemaNode): boolean =>
  type === 'string' && pattern === undefined && format === undefined

/** A parameter that is repeated with equal values counts once; an empty list is no value. */
const single = (values: readonly unknown[]): unknown =>
  values.length > 0 && values.every((value) => value === values[0]) ? values[0] : values

function coerceList(node: SchemaNode, input: unknown): unknown {
  if (node.type === 'string') return Array.isArray(input) ? input.join(',') : input
  // Only a body can have an empty list, which takes precedence over the query.
  if (Array.isArray(input) && input.length === 0) return input
  const elements = (Array.isArray(input) ? input : [input]).flatMap((element) =>
    typeof element === 'string' ? element.replace(/^\s*\[|\]\s*$/g, '').split(',') : [element],
  )
  const filled = elements.filter((element) => typeof element !== 'string' || element.trim() !== '')
  if (filled.length === 0) return undefined
  return filled.map((element) => (typeof element === 'string' ? toNumber(element.trim()) : element))
}

const toNumber = (text: string): number | string => parseDecimalText(text) ?? text

const BOOLEANS: Record<string, boolean> = { true: true, 1: true, false: false, 0: false }

const toBoolean = (text: string): boolean | string => BOOLEANS[text.toLowerCase()] ?? text
