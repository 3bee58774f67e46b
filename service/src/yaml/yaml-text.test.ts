import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { assertLinear } from '../../test/_growth.ts'
import { readYaml } from './yaml-text.ts'

const list = (size: number, line: (at: number) => string): string =>
  Array.from({ length: size }, (_, at) => line(at)).join('')

const messages = (text: string) => readYaml(text).problems.map(({ message }) => message)

describe('a text of YAML', () => {
  test('is read as it was written, and each part is found in its line', () => {
    const parts = fc.dictionary(fc.string(), fc.oneof(fc.integer(), fc.string()), { minKeys: 1 })
    fc.assert(
      fc.property(parts, (given) => {
        const text = list(Object.keys(given).length, (at) => {
          const [key, value] = Object.entries(given)[at]!
          return `${JSON.stringify(key)}: ${JSON.stringify(value)}\n`
        })

        const { value, problems, lineOf } = readYaml(text)

        assert.deepEqual(problems, [])
        assert.deepEqual(Object.entries(value as object), Object.entries(given))
        for (const [at, key] of Object.keys(given).entries()) assert.equal(lineOf([key]), at + 1)
      }),
    )
  })

  test('with a key that stands twice is refused, however deep', () => {
    assert.deepEqual(readYaml('a:\n  - b: 1\n    c: 1\n    b: 2\n').problems, [
      { line: 4, message: 'the key "b" is on line 2 already' },
    ])
    assert.deepEqual(messages('{ a: 1, "a": 2 }'), ['the key "a" is on line 1 already'])
  })

  test('an alias means the last anchor of its name above it', () => {
    const text = 'a: &x { v: 1 }\nb: *x\nc: &x\n  v: 2\nd: *x\n'

    const { value, lineOf } = readYaml(text)

    assert.deepEqual(value, { a: { v: 1 }, b: { v: 1 }, c: { v: 2 }, d: { v: 2 } })
    assert.equal(lineOf(['d', 'v']), 4)
  })

  test('of more than 16 Mi characters is refused before it is read', () => {
    assert.deepEqual(messages(`# ${'a'.repeat(16 * 1024 * 1024)}`), [
      'the file has 16777218 characters, expected at most 16777216',
    ])
  })

  test('nested five thousand deep is refused, in whatever way', () => {
    for (const opener of ['[', '{a: ', '- ', '? ', '{[', '&a [']) {
      const [message = ''] = messages(opener.repeat(5_000))
      assert.match(message, /nested too deeply|not YAML|indented/, opener)
    }
  })

  test('costs no more than the keys of a mapping', () => {
    assertLinear({ 'keys in lines': (size) => list(size, (at) => `k${at}: 1\n`) }, readYaml, {
      size: 4_000,
    })
  })

  test('costs no more than its length', () => {
    assertLinear(
      {
        'one key again and again': (size) => list(size, () => 'a: 1\n'),
        'aliases far below': (size) =>
          `${list(size, () => '- 1\n')}- &a 1\n${'- *a\n'.repeat(100)}`,
        'escapes that are none': (size) => `a: "${'\\q'.repeat(size)}"`,
        'blank lines': (size) => `a: 1${'\n'.repeat(size)}b: 2`,
        'folded lines': (size) => `a: >\n${'  b\n\n'.repeat(size)}`,
        'a text without an end': (size) => `a: "${'b\n  '.repeat(size)}`,
      },
      readYaml,
      { size: 500 },
    )
  })

  test('costs no more than its length where each part is looked for', () => {
    assertLinear(
      {
        keys: (size) => ({ size, text: list(size, (at) => `k${at}: 1\n`) }),
        'keys behind an alias': (size) => ({
          size,
          text: stringify({ a: 1 }) + `b: &b\n${list(size, (at) => `  k${at}: 1\n`)}c: *b\n`,
        }),
      },
      ({ size, text }) => {
        const { lineOf } = readYaml(text)
        for (let at = 0; at < size; at++)
          lineOf(text.startsWith('k') ? [`k${at}`] : ['c', `k${at}`])
      },
      { size: 500 },
    )
  })
})
