import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { formatMappingSchema } from './mapping-schema.ts'

test('docs/mapping.schema.json is what the contract says', () => {
  const committed = readFileSync(new URL('../../docs/mapping.schema.json', import.meta.url), 'utf8')

  assert.equal(
    committed,
    formatMappingSchema(),
    'run node scripts/run.js scripts/write-mapping-schema.ts',
  )
})

test('every property of a mapping file has a description', () => {
  const undescribed: string[] = []

  JSON.parse(formatMappingSchema(), (_key, value: Node) => {
    for (const [key, inner] of Object.entries(value?.properties ?? {}))
      if (inner.description === undefined) undescribed.push(key)
    return value
  })

  assert.deepEqual(undescribed, [])
})

type Node = { properties?: Record<string, { description?: string }> } | null
