import assert from 'node:assert/strict'
import { OPERATIONS, type Operation, type TSchema } from '@plumbline/contract'
import { Compile } from 'typebox/schema'

type Node = { [key: string]: unknown }

/** The operation that a request asks for; the query and a slash at the end make no difference. */
export function findOperation(method: string, target: string): Operation | undefined {
  // As the client sends it: without `.` and `..`.
  const pathname = URL.parse(target, 'https://localhost')?.pathname ?? ''
  const path = pathname.replaceAll(/\/+/g, '/').replace(/\/$/, '')
  return OPERATIONS.find(
    (operation) => operation.method === method && pathPattern(operation).test(path),
  )
}

/** Fails unless a successful response has the form of the contract, to the last member. */
export function assertKeepsContract(
  { operationId, schema, produces }: Operation,
  answer: { status: number; text: string; headers: Readonly<Record<string, unknown>> },
): void {
  if (answer.status === 204) return assert.equal(answer.text, '', `${operationId}: 204 has a body`)
  if (answer.status !== 200) return
  if (produces !== undefined) return assert.equal(answer.headers['content-type'], produces)
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8', operationId)
  const validator = validatorOf(schema.response[200]!)
  const value: unknown = JSON.parse(answer.text)
  if (validator.Check(value)) return
  const [, errors] = validator.Errors(value)
  assert.fail(`${operationId} breaks its contract: ${JSON.stringify(errors.slice(0, 3))}`)
}

const patterns = new Map<Operation, RegExp>()

function pathPattern(operation: Operation): RegExp {
  const known = patterns.get(operation)
  if (known !== undefined) return known
  const path = `${operation.base}${operation.url}`.replaceAll(/:\w+/g, '[^/]+')
  const pattern = new RegExp(`^${path}$`)
  patterns.set(operation, pattern)
  return pattern
}

const validators = new Map<TSchema, ReturnType<typeof Compile>>()

function validatorOf(schema: TSchema): ReturnType<typeof Compile> {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const validator = Compile(closed(schema as unknown as Node) as TSchema)
  validators.set(schema, validator)
  return validator
}

/** The schema, with members beyond the named ones refused wherever members are named. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]) => [key, closed(value)])
  const copy = Object.fromEntries(entries) as Node
  return copy['type'] === 'object' && copy['properties'] !== undefined
    ? { ...copy, additionalProperties: false }
    : copy
}
