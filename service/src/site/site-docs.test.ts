import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SiteFile } from '@plumbline/contract/site'
import { parse } from 'yaml'
import { checkConversion, CONVERSIONS } from '../domain/derivation/conversion.ts'
import type { ConversionKind } from '../domain/derivation/conversions/conversion-kind.ts'
import { MAX_FORMULA_DEPTH, MAX_FORMULA_LENGTH } from '../domain/derivation/expression.ts'
import { FUNCTIONS } from '../domain/derivation/expression/functions.ts'
import type { ConversionPart } from './file/file-parts.ts'

const page = readFileSync(new URL('../../../docs/site-file.md', import.meta.url), 'utf8')

test('the page about site files names every key of one', () => {
  const keys = new Set(JSON.stringify(SiteFile, keysOf).match(/"key:\w+"/g))
  const missing = [...keys]
    .map((key) => key.slice(5, -1))
    .filter((key) => !page.includes(`\`${key}\``))

  assert.ok(keys.size > 50)
  assert.deepEqual(missing, [])
})

/** The sections on kinds of conversion by their kind. */
const sections = new Map(
  [...page.matchAll(/^#### `(\w+)`\n([^]*?)(?=^##)/gm)].map(([, kind, text]) => [kind!, text!]),
)

test('the page about site files explains every kind of conversion, and no other', () => {
  assert.deepEqual([...sections.keys()], Object.keys(CONVERSIONS))
})

for (const [kind, { parameters, texts = {}, inputs }] of Object.entries<ConversionKind>(
  CONVERSIONS,
)) {
  test(`the section on ${kind} names all it takes, with units and texts, and reads`, () => {
    const section = sections.get(kind) ?? ''
    const named = (name: string) => section.includes(`\`${name}\``)

    const words = Object.values(texts).flatMap(({ oneOf = [] }) => oneOf)
    const names = [parameters, texts, inputs].flatMap((table) => Object.keys(table))
    assert.deepEqual(
      [...names, ...words].filter((name) => !named(name)),
      [],
      `docs/site-file.md does not name these in the section on ${kind}`,
    )
    for (const [name, { default: preset }] of Object.entries(parameters)) {
      if (preset === undefined || preset === 0) continue
      assert.match(section, new RegExp(`\\| \`${name}\`.*\\| ${preset} +\\|\n`))
    }
  })

  test(`the example of ${kind} is accepted`, () => {
    const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(sections.get(kind) ?? '') ?? []
    assert.ok(yaml !== '', `docs/site-file.md has no yaml example of ${kind}`)
    const { conversion } = parse(yaml) as { conversion: ConversionPart | ConversionPart[] }

    for (const part of [conversion].flat()) {
      const { kind: named, item: _item, ...rest } = part
      assert.equal(named, kind)
      assert.doesNotThrow(() => checkConversion({ kind: named, parameters: rest }))
    }
  })
}

test('the page about site files names every function of formulas', () => {
  const section = sections.get('expression') ?? ''
  const missing = [...FUNCTIONS.keys()].filter((name) => !new RegExp(`\\b${name}\\b`).test(section))

  assert.deepEqual(missing, [])
  assert.ok(section.includes(`${MAX_FORMULA_LENGTH} characters, ${MAX_FORMULA_DEPTH} levels`))
})

/** Marks the names of properties, so that they can be told from the schema's own words. */
function keysOf(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('properties' in value)) return value
  const marked = Object.keys(value.properties as object).map((key) => `key:${key}`)
  return { ...value, marked }
}
