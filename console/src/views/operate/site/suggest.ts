import type { YamlPlace } from './yaml-place.ts'

/** What this console reads of a JSON Schema. */
export type Schema = {
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  enum?: readonly unknown[]
  const?: unknown
  default?: unknown
  examples?: readonly unknown[]
}

export type Suggestion = {
  label: string
  /** Of a member, what its value is. */
  detail: string
  description: string
  isRequired: boolean
  /** What is inserted. */
  text: string
}

/** What a schema allows at a place: names of members that are not there yet, or values. */
export function suggest(schema: Schema, place: YamlPlace): Suggestion[] {
  const found = schemasAt(schema, place.path)
  return place.isKey ? members(found, place) : values(found)
}

/** The schemas of what a path leads to. */
export function schemasAt(schema: Schema, path: YamlPlace['path']): Schema[] {
  let schemas = variantsOf(schema)
  for (const name of path) {
    schemas = schemas.flatMap((one) => childrenOf(one, name)).flatMap(variantsOf)
  }
  return schemas
}

const variantsOf = (schema: Schema): Schema[] => [
  schema,
  ...(schema.anyOf ?? []).flatMap(variantsOf),
]

function childrenOf(schema: Schema, name: string | null): Schema[] {
  if (name === null) return schema.items === undefined ? [] : [schema.items]
  const own = schema.properties?.[name]
  if (own !== undefined) return [own]
  const matching = Object.entries(schema.patternProperties ?? {})
    .filter(([pattern]) => new RegExp(pattern, 'u').test(name))
    .map(([, member]) => member)
  if (matching.length > 0) return matching
  return typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []
}

function members(schemas: readonly Schema[], { siblings, column }: YamlPlace): Suggestion[] {
  const found = new Map<string, Suggestion>()
  for (const { properties = {}, required = [] } of schemas) {
    for (const [label, member] of Object.entries(properties)) {
      if (siblings.has(label) || found.has(label)) continue
      found.set(label, {
        label,
        detail: kindOf(member),
        description: member.description ?? '',
        isRequired: required.includes(label),
        text: `${label}:${openingOf(member, column)}`,
      })
    }
  }
  return [...found.values()]
}

function values(schemas: readonly Schema[]): Suggestion[] {
  const found = new Map<string, Suggestion>()
  for (const schema of schemas) {
    const { enum: listed = [], examples = [], description = '' } = schema
    const constants = schema.const === undefined ? [] : [schema.const]
    const booleans = typesOf(schema).includes('boolean') ? [true, false] : []
    for (const value of [...constants, ...listed, ...booleans, ...examples]) {
      const text = textOf(value)
      if (text === undefined || found.has(text)) continue
      const detail =
        value === schema.default ? 'default' : examples.includes(value) ? 'example' : ''
      found.set(text, { label: text, detail, description, isRequired: false, text })
    }
  }
  return [...found.values()]
}

const typesOf = ({ type }: Schema): readonly string[] =>
  type === undefined ? [] : typeof type === 'string' ? [type] : type

function kindOf(schema: Schema): string {
  const types = new Set(variantsOf(schema).flatMap(typesOf))
  return [...types].join(' or ')
}

/** What follows the name: a list and a mapping begin on the next line. */
function openingOf(schema: Schema, column: number): string {
  const types = new Set(variantsOf(schema).flatMap(typesOf))
  const inner = `\n${' '.repeat(column + 2)}`
  if (types.size === 1 && types.has('array')) return `${inner}- `
  if (types.size === 1 && types.has('object')) return inner
  return ' '
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return `${value}`
  if (typeof value !== 'string') return undefined
  // What YAML would read as something else is quoted.
  return /^[\p{L}_][\p{L}\p{N}_./ -]*$/u.test(value) &&
    !/^(true|false|null|yes|no|on|off)$/i.test(value)
    ? value
    : `'${value.replaceAll("'", "''")}'`
}
