import { Check } from 'typebox/schema'
import { didYouMean, didYouMeanOr } from './near-miss.ts'
import type { YamlPath } from './yaml-file-error.ts'
import { describeExpected, describeFound } from './shape-words.ts'

/** The part of JSON Schema that a site file's schema is written in. */
export type Shape = {
  type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
  title?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  required?: string[]
  additionalProperties?: boolean | Shape
  patternProperties?: Record<string, Shape>
  items?: Shape
  minItems?: number
  uniqueItems?: boolean
  minLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  writeOnly?: boolean
}

type Report = (path: YamlPath, message: string) => void

/**
 * Reports, in words, each place where a value departs from a shape.
 *
 * Objects, lists and unions are walked here, since a validator's own messages name every branch
 * of a union and end after a few; whether a single value fits is the validator's to say.
 */
export function checkShape(
  shape: Shape,
  value: unknown,
  report: Report,
  path: YamlPath = [],
): void {
  const chosen = choose(shape, value)
  if (chosen.type === 'array' && Array.isArray(value)) checkList(chosen, value, report, path)
  else if (chosen.type === 'object' && isMapping(value)) checkMapping(chosen, value, report, path)
  else if (!Check(chosen, value)) {
    report(path, `expected ${describeExpected(chosen)}, found ${describeFound(value, chosen)}`)
  }
}

/** Of a union, the branch that a list or a mapping is meant for; among mappings `kind` decides. */
function choose(shape: Shape, value: unknown): Shape {
  if (shape.anyOf === undefined) return shape
  const type = Array.isArray(value) ? 'array' : isMapping(value) ? 'object' : undefined
  const branches = shape.anyOf.filter((branch) => type !== undefined && branch.type === type)
  if (branches.length < 2 || !isMapping(value)) return branches[0] ?? shape
  const kinds = branches.map((branch) => branch.properties?.['kind']?.const)
  return branches[kinds.indexOf(value['kind'])] ?? kindOf(kinds)
}

/** A mapping of which nothing can be said but that it has one of these kinds. */
function kindOf(kinds: readonly unknown[]): Shape {
  const properties = { kind: { type: 'string' as const, enum: [...kinds] } }
  return { type: 'object', required: ['kind'], properties, additionalProperties: {} }
}

function checkList(shape: Shape, list: unknown[], report: Report, path: YamlPath): void {
  if (list.length < (shape.minItems ?? 0)) {
    report(path, `expected ${describeExpected(shape)}, found an empty one`)
  }
  const seen = new Set<unknown>()
  for (const [index, element] of list.entries()) {
    const place = [...path, index]
    if (shape.items !== undefined) checkShape(shape.items, element, report, place)
    if (shape.uniqueItems !== true) continue
    if (seen.has(element)) report(place, `${String(element)} is listed a second time`)
    seen.add(element)
  }
}

function checkMapping(
  shape: Shape,
  mapping: Record<string, unknown>,
  report: Report,
  path: YamlPath,
): void {
  const known = new Map(Object.entries(shape.properties ?? {}))
  const free = freeShape(shape)
  for (const [key, value] of Object.entries(mapping)) {
    const inner = known.get(key) ?? free
    if (inner !== undefined) checkShape(inner, value, report, [...path, key])
    else report([...path, key], unknownKey(key, [...known.keys()], mapping))
  }
  const missing = (shape.required ?? []).filter((key) => !Object.hasOwn(mapping, key))
  for (const key of missing) {
    const expected = describeExpected(known.get(key) ?? {})
    report(path, `${key} is missing: expected ${expected}`)
  }
}

function freeShape({ additionalProperties, patternProperties }: Shape): Shape | undefined {
  if (typeof additionalProperties === 'object') return additionalProperties
  return Object.values(patternProperties ?? {})[0]
}

function unknownKey(key: string, known: string[], mapping: Record<string, unknown>): string {
  const absent = known.filter((name) => !Object.hasOwn(mapping, name))
  return `there is no such key${didYouMean(key, absent) || didYouMeanOr(key, known)}`
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
