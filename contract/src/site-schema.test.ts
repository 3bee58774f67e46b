import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { formatSiteSchema } from './site-schema.ts'

test('docs/site.schema.json is what the contract says', () => {
  const committed = readFileSync(new URL('../../docs/site.schema.json', import.meta.url), 'utf8')

  assert.equal(
    committed,
    formatSiteSchema(),
    'run node scripts/run.js scripts/write-site-schema.ts',
  )
})

test('every property has a description, and no mapping takes keys it does not know', () => {
  const undescribed: string[] = []
  const open: string[] = []

  walk(JSON.parse(formatSiteSchema()), 'file', (schema, path) => {
    for (const [key, inner] of Object.entries(schema.properties ?? {})) {
      if (inner.description === undefined) undescribed.push(`${path}.${key}`)
    }
    const isClosed = schema.additionalProperties !== undefined
    if (schema.properties !== undefined && !isClosed) open.push(path)
  })

  assert.deepEqual(undescribed, [])
  assert.deepEqual(open, [])
})

type Node = {
  description?: string
  properties?: Record<string, Node>
  additionalProperties?: unknown
  items?: Node
  anyOf?: Node[]
}

function walk(schema: Node, path: string, visit: (schema: Node, path: string) => void): void {
  visit(schema, path)
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    walk(inner, `${path}.${key}`, visit)
  }
  for (const inner of [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]) {
    walk(inner, path, visit)
  }
}
