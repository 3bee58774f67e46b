/** The members of JSON Schema that the contract uses. */
export type Schema = {
  type?: string
  format?: string
  description?: string
  default?: unknown
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: readonly string[]
}

/** What is written of a member in place of the type of its schema; undefined: nothing else. */
export type Rewrite = (name: string, text: string, schema: Schema) => string | undefined

/** Types that have a name, by their schemas, which the text refers to. */
export type Names = ReadonlyMap<Schema, string>

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
  void: 'void',
}

/** The TypeScript type of a schema; `names` is for those within it. */
export function schemaText(schema: Schema, names: Names, rewrite?: Rewrite): string {
  const { type, format, anyOf, enum: values, items, properties, patternProperties } = schema
  const inner = (part: Schema) => names.get(part) ?? schemaText(part, names, rewrite)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf !== undefined) return anyOf.map(inner).join(' | ')
  if (type === 'array' && items !== undefined) return `Array<${inner(items)}>`
  if (patternProperties !== undefined) {
    const [value] = Object.values(patternProperties)
    if (value !== undefined) return `Record<string, ${inner(value)}>`
  }
  if (type === 'object') return objectText(properties ?? {}, schema.required ?? [], inner, rewrite)
  if (format === 'binary') return 'Uint8Array'
  if (format === 'bytes') return 'Uint8Array | Blob'
  if (format === 'event-stream') return 'AsyncIterable<ServerEvent>'
  if (type === undefined) return 'unknown'
  const simple = SIMPLE[type]
  if (simple === undefined)
    throw new Error(`There is no type for the schema ${JSON.stringify(schema)}`)
  return simple
}

function objectText(
  properties: Record<string, Schema>,
  required: readonly string[],
  inner: (schema: Schema) => string,
  rewrite: Rewrite | undefined,
): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const text = inner(schema)
    const key = required.includes(name) ? name : `${name}?`
    return `${docText(schema.description)}${key}: ${rewrite?.(name, text, schema) ?? text}`
  })
  return members.length === 0 ? 'object' : `{ ${members.join('; ')} }`
}

/** A comment for editors, on a line of its own. */
export const docText = (text: string | undefined): string =>
  text === undefined ? '' : `\n/** ${text.replaceAll('*/', '* /')} */\n`
