import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS, type Operation } from '@plumbline/contract'
import { format } from 'prettier'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import {
  headingOf,
  readInterfaceExamples,
  type ExampleRequest,
} from '../../../scripts/interface-examples.ts'
import { referenceExamples } from '../../../scripts/reference-examples.ts'
import { partReader } from '../../src/http/requests/validation.ts'
import { textOf } from './_pages.ts'

const sections = new Map(
  textOf('docs/interface.md')
    .split(/^(?=##)/m)
    .map((section) => [/^### (.+)$/m.exec(section)?.[1] ?? '', section]),
)

const examples = readInterfaceExamples()

/** Why a request is not one of its operation; undefined where it is. */
function problemOf(operation: Operation, request: ExampleRequest): string | undefined {
  const { params, querystring, body } = operation.schema
  const parts = [
    params && partReader(params, 'params')(request.params),
    querystring && partReader(querystring, 'querystring')(request.query),
    body && bodyOf(request) !== undefined && partReader(body, 'body')(bodyOf(request)),
  ]
  const unknown = Object.keys(request.query).find((name) => !hasMember(querystring, name))
  const refused = parts.find((part) => part && part.error !== undefined)
  if (refused) return refused.error?.message
  return unknown === undefined ? undefined : `there is no query parameter ${unknown}`
}

/** Bytes and lines of others are no members of a schema. */
function bodyOf({ body, contentType }: ExampleRequest): unknown {
  if (body === undefined) return undefined
  if (contentType === 'application/json') return JSON.parse(body)
  const isForm = contentType === 'application/x-www-form-urlencoded'
  return isForm ? Object.fromEntries(new URLSearchParams(body)) : undefined
}

const hasMember = (schema: TSchema | undefined, name: string): boolean => {
  const { properties = {} } = { ...schema } as { properties?: object }
  return Object.hasOwn(properties, name)
}

test('every operation of the interface document has a request that the contract accepts', () => {
  const wrong: string[] = []
  let count = 0
  for (const operation of OPERATIONS) {
    const { requests = [] } = examples.get(operation) ?? {}
    if (requests.length === 0) wrong.push(`${headingOf(operation)} has no request`)
    for (const request of requests) {
      count++
      const problem = problemOf(operation, request)
      if (problem !== undefined) wrong.push(`${headingOf(operation)}: ${problem}`)
    }
  }

  assert.ok(count > 45)
  assert.deepEqual(wrong, [])
})

test('every response that the interface document shows has the form of the contract', () => {
  const wrong: string[] = []
  let count = 0
  for (const [operation, { responses }] of examples) {
    const schema: TSchema | undefined = operation.schema.response[200]
    for (const example of responses) {
      count++
      if (schema === undefined || !Value.Check(schema, example))
        wrong.push(`${headingOf(operation)}: ${JSON.stringify(example).slice(0, 200)}`)
    }
  }

  assert.ok(count > 30)
  assert.deepEqual(wrong, [])
})

test('the examples of the reference are those of the interface document', async () => {
  const path = 'service/src/http/reference/examples.json'

  const expected = await format(JSON.stringify(referenceExamples()), { parser: 'json' })

  assert.deepEqual(
    JSON.parse(textOf(path)),
    JSON.parse(expected),
    'run node scripts/run.js scripts/write-reference-examples.ts',
  )
})

test('the interface document names the scope of each operation that needs more than `read`', () => {
  const expected = OPERATIONS.map((operation) => {
    const { scope = 'read' } = operation.config
    return [headingOf(operation), scope === 'read' ? [] : [scope]]
  })

  const named = OPERATIONS.map((operation) => {
    const section = sections.get(headingOf(operation)) ?? ''
    return [headingOf(operation), Array.from(section.matchAll(/scope `(\w+)`/g), ([, one]) => one)]
  })

  assert.deepEqual(named, expected)
})
