import { parseDecimalText } from '../../encodings/decimal-text.ts'
import type { SchemaNode } from '../../schemas/schema-node.ts'

/** Reads the texts of a query, a path or a form as what the schema says they are. */
export function coerceAll(node: SchemaNode, input: unknown): Record<string, unknown> {
  const texts = (input ?? {}) as Record<string, unknown>
  const result: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    const given = Object.hasOwn(texts, name) ? texts[name] : undefined
    const value = given === undefined ? undefined : coerce(property, given)
    const read = value === undefined ? property.default : value
    if (read !== undefined) result[name] = read
  }
  return result
}

/** A value that is no reading of the text is left as it is, for the check to refuse. */
function coerce(node: SchemaNode, given: unknown): unknown {
  if (node.list === true) return coerceList(node, given)
  if (node.type === 'array') return given
  const value = Array.isArray(given) ? single(given) : given
  if (typeof value !== 'string') return value

  const text = value.trim()
  if (node.flag === true) return !/^(false|0)$/i.test(text)
  if (text === '' && !isFreeText(node)) return undefined
  if (node.type === 'integer' || node.type === 'number') return toNumber(text)
  if (node.type === 'boolean') return toBoolean(text)
  return isFreeText(node) ? value : text
}

const isFreeText = ({ type, pattern, format }: SchemaNode): boolean =>
  type === 'string' && pattern === undefined && format === undefined

/** The same parameter given twice is one, as long as both say the same. */
const single = (values: readonly unknown[]): unknown =>
  values.every((value) => value === values[0]) ? values[0] : values

function coerceList(node: SchemaNode, given: unknown): unknown {
  if (node.type === 'string') return Array.isArray(given) ? given.join(',') : given
  // Only a body can say so; it wins over what the query says.
  if (Array.isArray(given) && given.length === 0) return given
  const parts = (Array.isArray(given) ? given : [given]).flatMap((part) =>
    typeof part === 'string' ? part.replace(/^\s*\[|\]\s*$/g, '').split(',') : [part],
  )
  const filled = parts.filter((part) => typeof part !== 'string' || part.trim() !== '')
  if (filled.length === 0) return undefined
  return filled.map((part) => (typeof part === 'string' ? toNumber(part.trim()) : part))
}

const toNumber = (text: string): number | string => parseDecimalText(text) ?? text

const BOOLEANS: Record<string, boolean> = { true: true, 1: true, false: false, 0: false }

const toBoolean = (text: string): boolean | string => BOOLEANS[text.toLowerCase()] ?? text
