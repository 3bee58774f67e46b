import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SiteFile } from '@plumbline/contract/site'
import fc from 'fast-check'
import { Check } from 'typebox/schema'
import { parse, stringify } from 'yaml'
import { runs } from '../../../test/_random.ts'
import { fitsSchema } from '../../schemas/check-schema.ts'
import { YamlFileError } from '../../yaml/yaml-file-error.ts'
import { exampleText } from '../_sites.ts'
import { difference } from '../apply/difference.ts'
import { flattenText } from './_flatten.ts'

test('a mutated example is refused with a YamlFileError, or flattens to what it is', () => {
  const tree: unknown = parse(exampleText)
  const places = [...placesOf(tree)]
  const values = [...places.map(({ value }) => value), null, '', 'x', 0, 1, -1.5, [], {}, true]
  const mutation = fc.record({
    place: fc.nat(places.length - 1),
    value: fc.nat(values.length - 1),
    way: fc.constantFrom('replace', 'remove', 'add'),
  })
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
      const copy = structuredClone(tree)
      for (const { place, value, way } of mutations) {
        mutate(copy, places[place]!.path, way, structuredClone(values[value]))
      }
      const found: string[] = []
      fitsSchema(SiteFile, copy, (_path, message) => found.push(message))
      assert.equal(found.length === 0, Check(SiteFile, copy), found.join())

      const text = stringify(copy, { aliasDuplicateObjects: false })
      try {
        const entries = flattenText(text)
        const stored = JSON.parse(JSON.stringify(entries))
        assert.deepEqual(difference(stored, flattenText(text)), [])
      } catch (error) {
        if (!(error instanceof YamlFileError)) throw error
        assert.ok(error.problems.every(({ line }) => line !== null && line > 0))
      }
    }),
    { numRuns: runs(1000) },
  )
})

test('a mutated text is refused with a YamlFileError, or read', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.constantFrom(
      '\t',
      '\n',
      '- ',
      ': ',
      '*a',
      '&a ',
      '!',
      '|',
      '{',
      ']',
      "'",
      '%',
      '---\n',
      '?',
    ),
  )
  fc.assert(
    fc.property(fc.nat(exampleText.length), fc.nat(12), piece, (at, cut, text) => {
      try {
        flattenText(exampleText.slice(0, at) + text + exampleText.slice(at + cut))
      } catch (error) {
        if (!(error instanceof YamlFileError)) throw error
      }
    }),
    { numRuns: runs(1000) },
  )
})

type Keys = (string | number)[]

function* placesOf(value: unknown, path: Keys = []): Generator<{ path: Keys; value: unknown }> {
  if (path.length > 0) yield { path, value }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    yield* placesOf(inner, [...path, Array.isArray(value) ? Number(key) : key])
  }
}

function mutate(tree: unknown, path: Keys, way: string, value: unknown): void {
  let parent = tree
  for (const key of path.slice(0, -1)) parent = member(parent, key)
  if (typeof parent !== 'object' || parent === null) return
  const key = path.at(-1)!
  if (way === 'add')
    Object.assign(parent, Array.isArray(parent) ? [...parent, value] : { x: value })
  else if (way === 'replace') Object.assign(parent, { [key]: value })
  else if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else Reflect.deleteProperty(parent, key)
}

function member(parent: unknown, key: string | number): unknown {
  return typeof parent === 'object' && parent !== null
    ? (parent as Record<string, unknown>)[key]
    : undefined
}
