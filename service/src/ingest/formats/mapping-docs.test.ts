import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { MappingFile } from '@plumbline/contract/mapping'
import { readMapping } from './mapping.ts'

const page = readFileSync(new URL('../../../../docs/files.md', import.meta.url), 'utf8')

test('the page about files names every key of a mapping', () => {
  const keys: string[] = []
  JSON.parse(JSON.stringify(MappingFile), (_key, value: { properties?: object } | null) => {
    keys.push(...Object.keys(value?.properties ?? {}))
    return value
  })

  assert.ok(keys.length > 20)
  assert.deepEqual(
    keys.filter((key) => !page.includes(`\`${key}\``)),
    [],
  )
})

test('the mapping that the page shows is one', () => {
  const [, example = ''] = /```yaml\n([^`]*format: toa5[^`]*)```/.exec(page) ?? []

  assert.equal(readMapping(example, 'm.yaml').targets.length, 2)
})
