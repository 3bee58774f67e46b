import type { TSchema } from 'typebox'

/** The part of JSON Schema that the project's schemas use. */
export type SchemaNode = {
  type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
  /** The description of accepted values in error sentences. */
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
  /** Whether the value may be a secret, which is never shown. */
  writeOnly?: boolean
  /** Whether the text is the path of a file, which is relative to the file that has it. */
  namesFile?: boolean
  /** The unit of a number, such as `seconds`. */
  unit?: string
  /** A list in a query, written `1,2`, `[1,2]` or by repeating the parameter. */
  list?: boolean
  /** The member whose text is the whole body. */
  plain?: string
  /** An empty text is refused; otherwise it leaves a number or a choice out. */
  notEmpty?: boolean
  /** True for any value except `false` and `0`. */
  flag?: boolean
}

/** Returns a schema with its members typed. */
export const asNode = (schema: TSchema): SchemaNode => schema
