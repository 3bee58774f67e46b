import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { itemKeys } from './_records.ts'
import { recordKey, recordText } from './record-text.ts'
import { rewriteRecord, type MemberRewrite } from './rewrite-record.ts'

const rewrite = (text: string, members: Record<string, [string, number?]>): string =>
  rewriteRecord(
    text,
    new Map(
      Object.entries(members).map(([key, [to, factor]]): [string, MemberRewrite] => [
        recordKey(key),
        {
          key: recordKey(to),
          ...(factor === undefined ? {} : { convert: (value) => value * factor }),
        },
      ]),
    ),
  )

const TIME = '"time":"2026-03-01 12:00:00"}'

describe('a record', () => {
  test('has new keys and values of some members, and the rest as it was', () => {
    const text = `{"strain":-478.41,"temperature":1e-7,${TIME}`

    assert.equal(
      rewrite(text, { strain: ['strain', 1000], other: ['x', 2] }),
      `{"strain":-478410,"temperature":1e-7,${TIME}`,
    )
    assert.equal(
      rewrite(text, { strain: ['temperature'], temperature: ['strain', 2] }),
      `{"temperature":-478.41,"strain":2e-7,${TIME}`,
    )
  })

  test('keeps members that are no numbers', () => {
    const text = `{"a":1,"q":{"a":[1,"},"]},"b":"x,\\"a\\":1",${TIME}`

    assert.equal(
      rewrite(text, { a: ['c', 2] }),
      `{"c":2,"q":{"a":[1,"},"]},"b":"x,\\"a\\":1",${TIME}`,
    )
  })

  test('with a value that does not fit into a number is refused by its key', () => {
    assert.throws(() => rewrite(`{"a":1e308,${TIME}`, { a: ['a', 100] }), {
      name: 'RefusedError',
      message: '"a":1e308 has no finite value in the new unit',
    })
  })

  test('of any keys is what it would be if it were written anew', () => {
    const names = fc.uniqueArray(itemKeys, { minLength: 2, maxLength: 8 })
    const value = fc.option(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { nil: undefined })
    fc.assert(
      fc.property(names, fc.array(value, { minLength: 4, maxLength: 4 }), (list, found) => {
        const half = Math.floor(list.length / 2)
        const [keys, renamed] = [list.slice(0, half), list.slice(half, 2 * half)].map((some) =>
          some.map(recordKey),
        )
        const values = [1, ...found].slice(0, half)
        const members = keys!.map((key, at): [string, MemberRewrite] => {
          return [key, { key: renamed![at]!, ...(at === 0 ? { convert: (one) => one / 8 } : {}) }]
        })
        const expected = values.map((one, at) => (at === 0 ? 0.125 : one))
        const time = '2026-03-01 12:00:00'

        const rewritten = rewriteRecord(recordText(keys!, values, time), new Map(members))

        assert.equal(rewritten, recordText(renamed!, expected, time))
      }),
      { numRuns: runs(5000) },
    )
  })
})
