import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS, type Operation } from '@plumbline/contract'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { textOf } from './_pages.ts'

const sections = new Map(
  textOf('docs/interface.md')
    .split(/^(?=##)/m)
    .map((section) => [/^### (.+)$/m.exec(section)?.[1] ?? '', section]),
)

const headingOf = ({ method, base, url }: Operation): string =>
  `${method} ${base === '/api/v1' ? '' : base}${url.replaceAll(/:(\w+)/g, '{$1}')}`

test('every response that the interface document shows has the form of the contract', () => {
  const wrong: string[] = []
  let count = 0
  for (const operation of OPERATIONS) {
    const schema: TSchema | undefined = operation.schema.response?.[200]
    const section = sections.get(headingOf(operation)) ?? ''
    for (const [, json = ''] of section.matchAll(/```json\n([^]*?)```/g)) {
      count++
      const example: unknown = JSON.parse(json)
      if (schema === undefined || !Value.Check(schema, example))
        wrong.push(`${headingOf(operation)}: ${json.slice(0, 200)}`)
    }
  }

  assert.ok(count > 30)
  assert.deepEqual(wrong, [])
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
