import type { SchemaNode } from './coerce.ts'

/** What a schema expects, as the end of the sentence "… must be". */
export function expectation(node: SchemaNode): string {
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.anyOf !== undefined) return `one of ${node.anyOf.map(expectation).join(', ')}`
  if (node.list === true && node.type === 'string') return 'whole numbers joined by commas'
  if (node.pattern !== undefined || node.format === 'date-time')
    return 'a local date and time YYYY-MM-DD HH:mm:ss'
  if (node.format === 'uuid') return 'a uuid'
  switch (node.type) {
    case 'integer':
      return `a whole number${range(node)}`
    case 'number':
      return `a number${range(node)}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `a list${node.maxItems === undefined ? '' : ` of at most ${node.maxItems}`}, each ${expectation(node.items ?? {})}`
    case 'object':
      return 'an object'
    case 'string':
      return node.minLength === undefined ? 'text' : 'text that is not empty'
    default:
      return 'another value'
  }
}

function range({ minimum, exclusiveMinimum, maximum }: SchemaNode): string {
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${maximum === undefined ? '' : ` and at most ${maximum}`}`
  if (minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}
