import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isUuid, readToken } from './token.ts'

const A = '0d8a2f4e-5c39-4a54-9a53-2f0f5d1f7b11'
const B = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01'

describe('a token', () => {
  test('is found wherever a client may put it', () => {
    const carriers: [unknown, string | undefined][] = [
      [A, undefined],
      [A.toUpperCase(), undefined],
      [` ${A} `, undefined],
      [[A, A.toUpperCase()], undefined],
      [['', A], undefined],
      [undefined, `Bearer ${A}`],
      [undefined, `bearer   ${A} `],
      [undefined, `BEARER ${A.toUpperCase()}`],
      [undefined, A],
      [A, A.toUpperCase()],
      [A, `Bearer ${A}`],
      ['', `Bearer ${A}`],
      [A, ''],
      [A, 'Bearer '],
      [A, 'Basic YTpi'],
    ]
    for (const [query, header] of carriers) {
      assert.deepEqual(readToken(query, header), { kind: 'token', token: A }, `${query} ${header}`)
    }
  })

  test('is absent when nothing, an empty text or Basic credentials are sent', () => {
    const carriers: [unknown, string | undefined][] = [
      [undefined, undefined],
      [null, undefined],
      ['', ''],
      [' ', ' '],
      [[], undefined],
      [['', ''], undefined],
      [undefined, 'Bearer'],
      [undefined, 'Basic YTpi'],
      [undefined, 'basic'],
    ]
    for (const [query, header] of carriers) {
      assert.deepEqual(readToken(query, header), { kind: 'none' }, `${query} ${header}`)
    }
  })

  test('conflicts with another one', () => {
    assert.deepEqual(readToken(A, B), { kind: 'conflict' })
    assert.deepEqual(readToken(A, `Bearer ${B}`), { kind: 'conflict' })
    assert.deepEqual(readToken([A, B], undefined), { kind: 'conflict' })
  })

  test('that is no uuid is malformed, beside a good one too', () => {
    const carriers: [unknown, string | undefined][] = [
      ['undefined', undefined],
      [`${A}0`, undefined],
      [5, undefined],
      [{ a: A }, undefined],
      [[A, 'x'], undefined],
      [undefined, 'Bearer null'],
      [undefined, `Bearer Bearer ${A}`],
      [undefined, `Token ${A}`],
      [undefined, `Bearer${A}`],
      [undefined, `basics ${A}`],
      [A, 'Bearer x'],
      ['x', A],
    ]
    for (const [query, header] of carriers) {
      assert.deepEqual(readToken(query, header), { kind: 'malformed' }, `${query} ${header}`)
    }
  })
})

describe('a uuid', () => {
  test('may have any version and case', () => {
    const property = fc.property(fc.uuid({ version: [1, 2, 3, 4, 5, 6, 7, 8] }), (uuid) => {
      assert.ok(isUuid(uuid))
      assert.ok(isUuid(uuid.toUpperCase()))
    })
    fc.assert(property)
    assert.ok(isUuid('00000000-0000-0000-0000-000000000000'))
  })

  test('is nothing else', () => {
    const bad = ['', A.replaceAll('-', ''), `${A}\n`, ` ${A}`, `{${A}}`, A.replace('0', 'g')]
    for (const text of bad) assert.equal(isUuid(text), false, text)
  })
})
