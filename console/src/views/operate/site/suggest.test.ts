import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { suggest, type Schema } from './suggest.ts'
import { findPlace } from './yaml-place.ts'

const SCHEMA: Schema = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../../docs/site.schema.json'), 'utf8'),
)

/** What is suggested at the `|` of a text. */
function at(marked: string): string[] {
  const place = findPlace(marked.replace('|', ''), marked.indexOf('|'))
  return place === undefined ? [] : suggest(SCHEMA, place).map(({ label }) => label)
}

test('an empty file takes the members of a site', () => {
  assert.deepEqual(at('|'), [
    'timeZone',
    'users',
    'projects',
    'structureTypes',
    'factors',
    'structures',
  ])
})

test('members that are there already are not suggested, before and behind the cursor', () => {
  assert.deepEqual(at('timeZone: UTC\n|\nusers:\n  - id: 1\n'), [
    'projects',
    'structureTypes',
    'factors',
    'structures',
  ])
})

test('an entry of a list takes its own members, however the list is indented', () => {
  assert.deepEqual(at('users:\n  - id: 1\n    |'), ['name', 'structures'])
  assert.deepEqual(at('users:\n- id: 1\n  |'), ['name', 'structures'])
  assert.deepEqual(at('users:\n  - |'), ['id', 'name', 'structures'])
})

test('a second entry begins anew', () => {
  assert.deepEqual(at('users:\n  - id: 1\n    name: A\n  - name: B\n    |'), ['id', 'structures'])
})

test('a mapping on one line takes the members that it lacks', () => {
  assert.deepEqual(at('users:\n  - { id: 1, na|'), ['name', 'structures'])
})

test('values are those of the schema, and examples', () => {
  assert.deepEqual(at('timeZone: |'), ['Asia/Shanghai', 'Europe/Berlin', 'UTC'])
  assert.deepEqual(at('users:\n  - id: 1\n    structures: |'), ['all'])
  assert.deepEqual(at('users:\n  - { id: 1, structures: |'), ['all'])
})

test('members of members are found deep in a structure', () => {
  const text =
    'structures:\n  - id: 1\n    factors:\n      - factor: 15\n        groups:\n          - |'
  assert.ok(at(text).includes('stations'), at(text).join())
})

test('a comment takes nothing', () => {
  assert.deepEqual(at('# |'), [])
  assert.deepEqual(at('timeZone: UTC # |'), [])
})

test('a list is opened on the next line, two columns in', () => {
  const users = suggest(SCHEMA, findPlace('us', 2)!).find(({ label }) => label === 'users')
  assert.equal(users?.text, 'users:\n  - ')
})

test('no text makes it throw', () => {
  const piece = fc.constantFrom('- ', 'users:', ' ', '\n', '{', '}', "'", ': ', 'a', '#', '[', '|')
  fc.assert(
    fc.property(
      fc.array(piece).map((parts) => parts.join('')),
      fc.nat(),
      (text, at) => {
        const place = findPlace(text, at % (text.length + 1))
        if (place !== undefined) suggest(SCHEMA, place)
      },
    ),
  )
})
