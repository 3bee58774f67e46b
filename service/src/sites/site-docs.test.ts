import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SiteFile } from '@plumbline/contract/site'
import { CONVERSIONS } from '../domain/conversion.ts'

const page = readFileSync(new URL('../../../docs/site-file.md', import.meta.url), 'utf8')

test('the page about site files names every key of one', () => {
  const keys = new Set(JSON.stringify(SiteFile, keysOf).match(/"key:\w+"/g))
  const missing = [...keys]
    .map((key) => key.slice(5, -1))
    .filter((key) => !page.includes(`\`${key}\``))

  assert.ok(keys.size > 50)
  assert.deepEqual(missing, [])
})

test('the page about site files explains every kind of conversion, and no other', () => {
  const kinds = [...page.matchAll(/^\| `(\w+)` +\| [^|]+\|[^|]+\| [^|]+\|$/gm)].map(
    ([, kind]) => kind,
  )

  assert.deepEqual(kinds, Object.keys(CONVERSIONS))
})

/** Marks the names of properties, so that they can be told from the schema's own words. */
function keysOf(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('properties' in value)) return value
  const marked = Object.keys(value.properties as object).map((key) => `key:${key}`)
  return { ...value, marked }
}
