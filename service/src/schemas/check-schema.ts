import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { describeSchema } from './describe-schema.ts'
import { describeValue, spellingHint } from './describe-value.ts'
import { didYouMean, didYouMeanOr } from './near-miss.ts'
import { asNode, type SchemaNode } from './schema-node.ts'
import type { ValuePath } from './value-path.ts'

/** Takes a problem and its place. */
export type ReportProblem = (path: ValuePath, message: string) => void

type CheckOptions = {
  /** Whether sentences leave out values, which may be secret. */
  hidesValues?: boolean
}

/**
 * Whether a value fits a schema; every place where it does not is reported.
 *
 * Objects, lists and unions are checked here, because a validator reports every branch of a union and
 * a few problems only. Single values are checked by the validator.
 */
export function fitsSchema<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  report: ReportProblem,
  { hidesValues = false }: CheckOptions = {},
): value is Static<Schema> {
  let fits = true
  const context: CheckContext = {
    hidesValues,
    report(path, message) {
      fits = false
      report(path, message)
    },
  }
  check(asNode(schema), value, [], context)
  return fits
}

type CheckContext = { report: ReportProblem; hidesValues: boolean }

function check(schema: SchemaNode, value: unknown, path: ValuePath, context: CheckContext): void {
  const chosen = choose(schema, value)
  if (chosen.type === 'array' && Array.isArray(value)) checkList(chosen, value, path, context)
  else if (chosen.type === 'object' && isMapping(value)) checkMapping(chosen, value, path, context)
  else if (!Check(chosen, value)) {
    const found = context.hidesValues
      ? spellingHint(value, chosen)
      : `, found ${describeValue(value, chosen)}`
    context.report(path, `expected ${describeSchema(chosen, 'yaml')}${found}`)
  }
}

/** Returns the branch of a union for a list or a mapping; the branch of a mapping depends on `kind`. */
function choose(schema: SchemaNode, value: unknown): SchemaNode {
  if (schema.anyOf === undefined) return schema
  const type = Array.isArray(value) ? 'array' : isMapping(value) ? 'object' : undefined
  const branches = schema.anyOf.filter((branch) => type !== undefined && branch.type === type)
  if (branches.length < 2 || !isMapping(value)) return branches[0] ?? schema
  const kinds = branches.map((branch) => branch.properties?.['kind']?.const)
  return branches[kinds.indexOf(value['kind'])] ?? schemaOfKinds(kinds)
}

/** A schema of a mapping with one of these kinds. */
function schemaOfKinds(kinds: readonly unknown[]): SchemaNode {
  const properties = { kind: { type: 'string' as const, enum: [...kinds] } }
  return { type: 'object', required: ['kind'], properties, additionalProperties: {} }
}

function checkList(
  schema: SchemaNode,
  list: unknown[],
  path: ValuePath,
  context: CheckContext,
): void {
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
  context: CheckContext,
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
