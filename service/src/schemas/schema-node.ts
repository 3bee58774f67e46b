import type { TSchema } from 'typebox'

/** The parts of JSON Schema that the project's schemas are written in. */
export type SchemaNode = {
  type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
  /** What the schema accepts, in words. */
  title?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: SchemaNode[]
  properties?: Record<string, SchemaNode>
  required?: string[]
  additionalProperties?: boolean | SchemaNode
  patternProperties?: Record<string, SchemaNode>
  items?: SchemaNode
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  default?: unknown
  description?: string
  /** May hold a secret: its value is never shown. */
  writeOnly?: boolean
  /** What a number counts: `seconds`. */
  unit?: string
  /** A comma-separated list, written `1,2`, `[1,2]` or by repeating the parameter. */
  list?: boolean
  /** The body is no object: it is the text of this member. */
  plain?: string
  /** Present in any spelling but `false` and `0` means true. */
  flag?: boolean
}

export const asNode = (schema: TSchema): SchemaNode => schema as SchemaNode
