import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseJsonPath, selectAll, selectOne, type PathStep } from './json-path.ts'

const one = (path: string, value: unknown): unknown => selectOne(parseJsonPath(path), value)

const oddName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'a b', "it's", 'say "x"', 'back\\slash', '', '应变'),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const step: fc.Arbitrary<PathStep> = fc.oneof(
  oddName.map((name) => ({ name })),
  fc.nat(1000).map((index) => ({ index })),
  fc.constant({ every: true } as const),
)

/** Writes a step in one of the ways in which it may be written. */
function write(part: PathStep, style: number): string {
  if ('every' in part) return '[*]'
  if ('index' in part) return `[${part.index}]`
  const { name } = part
  if (style % 3 === 0 && /^[\p{L}\d_-]+$/u.test(name)) return `.${name}`
  const quote = style % 2 === 0 ? "'" : '"'
  return `[${quote}${name.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)}${quote}]`
}

describe('parseJsonPath', () => {
  test('reads back every path, however its steps are written', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('$', '@'),
        fc.array(fc.tuple(step, fc.nat(5)), { maxLength: 32 }),
        (root, parts) => {
          const path = parseJsonPath(
            root + parts.map(([part, style]) => write(part, style)).join(''),
          )

          assert.equal(path.from, root === '$' ? 'message' : 'record')
          assert.deepEqual(
            path.steps,
            parts.map(([part]) => part),
          )
        },
      ),
    )
  })

  test('refuses what is no path with the position of the fault', () => {
    for (const [text, position, expected] of [
      ['', 1, '"$" or "@"'],
      ['a.b', 1, '"$" or "@"'],
      ['$a', 2, '"." or "["'],
      ['$.', 3, 'a name'],
      ['$..a', 3, 'a name'],
      ['$.*', 3, 'a name'],
      ['$.a b', 4, '"." or "["'],
      ['$[', 3, 'an index'],
      ['$[-1]', 3, 'an index'],
      ['$[1', 4, '"]"'],
      ['$[1234567890]', 3, 'at most 9 digits'],
      ["$['a", 5, 'the closing'],
      ["$['a'", 6, '"]"'],
      ['$[*', 4, '"]"'],
      ['$[?(@.a)]', 3, 'an index'],
      ['$[0:2]', 4, '"]"'],
      [`$${'.a'.repeat(33)}`, 66, 'at most 32 steps'],
    ] as const)
      assert.throws(
        () => parseJsonPath(text),
        (error: Error) => {
          assert.ok(error.message.includes(`at position ${position}: expected `), error.message)
          assert.ok(error.message.includes(expected), error.message)
          return true
        },
      )
  })

  test('throws nothing but a RefusedError', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'$@.[]*\'"\\a0 ') }), (text) => {
        try {
          parseJsonPath(text)
        } catch (error) {
          assert.equal((error as Error).name, 'RefusedError')
        }
      }),
    )
  })
})

describe('selecting', () => {
  test('follows members and elements', () => {
    const message = { a: { b: [{ 'c d': 7 }] } }

    assert.equal(one("$.a.b[0]['c d']", message), 7)
    assert.equal(one('$', 5), 5)
    assert.equal(one('$.a.b[1]', message), undefined)
    assert.equal(one('$.a.length', { a: [1] }), undefined)
    assert.equal(one('$.length', 'text'), undefined)
  })

  test('takes no member that the sender did not send', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      assert.equal(one(`$.${name}`, {}), undefined)
    assert.equal(one('$.__proto__.a', JSON.parse('{"__proto__":{"a":1}}')), 1)
  })

  test('finds what was put at the end of any path without [*], and that alone', () => {
    const single = fc.array(
      step.filter((part) => !('every' in part)),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(single, fc.integer(), (parts, leaf) => {
        const value = parts.toReversed().reduce<unknown>((inner, part) => {
          if ('index' in part) return [...Array<unknown>(part.index), inner]
          return Object.fromEntries([['name' in part ? part.name : '', inner]])
        }, leaf)
        const path = { from: 'message', steps: parts } as const

        assert.equal(selectOne(path, value), leaf)
        assert.deepEqual(selectAll(path, value), [leaf])
      }),
    )
  })

  test('[*] gives every element of every list, in order', () => {
    const path = parseJsonPath('$.loggers[*].rows[*].v')

    const found = selectAll(path, {
      loggers: [{ rows: [{ v: 1 }, {}, { v: 2 }] }, { rows: 'none' }, { rows: [{ v: 3 }] }],
    })

    assert.deepEqual(found, [1, 2, 3])
  })
})
