import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { describeSchema } from './describe-schema.ts'
import { describeValue } from './describe-value.ts'
import { didYouMean, didYouMeanOr } from './near-miss.ts'
import { asNode, type SchemaNode } from './schema-node.ts'
import type { ValuePath } from './value-path.ts'

/** Takes what is wrong, as a sentence without its place. */
export type Report = (path: ValuePath, message: string) => void

type Options = {
  /** Whether sentences are without the values that they are about: those may hold secrets. */
  hidesValues?: boolean
}

/**
 * Whether a value fits a schema; each place where it does not is reported in words.
 *
 * Objects, lists and unions are walked here, since a validator's own messages name every branch
 * of a union and end after a few; whether a single value fits is the validator's to say.
 */
export function fitsSchema<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  report: Report,
  { hidesValues = false }: Options = {},
): value is Static<Schema> {
  let fits = true
  const context: Context = {
    hidesValues,
    report(path, message) {
      fits = false
      report(path, message)
    },
  }
  check(asNode(schema), value, [], context)
  return fits
}

type Context = { report: Report; hidesValues: boolean }

function check(schema: SchemaNode, value: unknown, path: ValuePath, context: Context): void {
  const chosen = choose(schema, value)
  if (chosen.type === 'array' && Array.isArray(value)) checkList(chosen, value, path, context)
  else if (chosen.type === 'object' && isMapping(value)) checkMapping(chosen, value, path, context)
  else if (!Check(chosen, value)) {
    const found = context.hidesValues ? '' : `, found ${describeValue(value, chosen)}`
    context.report(path, `expected ${describeSchema(chosen, 'yaml')}${found}`)
  }
}

/** Of a union, the branch that a list or a mapping is meant for; among mappings `kind` decides. */
function choose(schema: SchemaNode, value: unknown): SchemaNode {
  if (schema.anyOf === undefined) return schema
  const type = Array.isArray(value) ? 'array' : isMapping(value) ? 'object' : undefined
  const branches = schema.anyOf.filter((branch) => type !== undefined && branch.type === type)
  if (branches.length < 2 || !isMapping(value)) return branches[0] ?? schema
  const kinds = branches.map((branch) => branch.properties?.['kind']?.const)
  return branches[kinds.indexOf(value['kind'])] ?? kindOf(kinds)
}

/** A mapping of which nothing can be said but that it has one of these kinds. */
function kindOf(kinds: readonly unknown[]): SchemaNode {
  const properties = { kind: { type: 'string' as const, enum: [...kinds] } }
  return { type: 'object', required: ['kind'], properties, additionalProperties: {} }
}

function checkList(schema: SchemaNode, list: unknown[], path: ValuePath, context: Context): void {
  const { report } = context
  if (list.length < (schema.minItems ?? 0)) {
    report(path, `expected ${describeSchema(schema, 'yaml')}, found an empty one`)
  }
  const seen = new Set<unknown>()
  for (const [index, element] of list.entries()) {
    const place = [...path, index]
    if (schema.items !== undefined) check(schema.items, element, place, context)
    if (schema.uniqueItems !== true) continue
    if (seen.has(element)) report(place, `${String(element)} is listed a second time`)
    seen.add(element)
  }
}

function checkMapping(
  schema: SchemaNode,
  mapping: Record<string, unknown>,
  path: ValuePath,
  context: Context,
): void {
  const known = new Map(Object.entries(schema.properties ?? {}))
  const free = freeNode(schema)
  for (const [key, value] of Object.entries(mapping)) {
    if (value === undefined) continue
    const inner = known.get(key) ?? free
    if (inner !== undefined) check(inner, value, [...path, key], context)
    else context.report([...path, key], unknownKey(key, [...known.keys()], mapping))
  }
  const missing = (schema.required ?? []).filter((key) => !isGiven(mapping, key))
  for (const key of missing) {
    const expected = describeSchema(known.get(key) ?? {}, 'yaml')
    context.report(path, `${key} is missing: expected ${expected}`)
  }
}

function freeNode({ additionalProperties, patternProperties }: SchemaNode): SchemaNode | undefined {
  if (typeof additionalProperties === 'object') return additionalProperties
  return Object.values(patternProperties ?? {})[0]
}

function unknownKey(key: string, known: string[], mapping: Record<string, unknown>): string {
  const absent = known.filter((name) => !isGiven(mapping, name))
  return `there is no such key${didYouMean(key, absent) || didYouMeanOr(key, known)}`
}

const isGiven = (mapping: Record<string, unknown>, key: string): boolean =>
  Object.hasOwn(mapping, key) && mapping[key] !== undefined

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
