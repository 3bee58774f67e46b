import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { recordKey, recordText, TIME_SUFFIX_LENGTH } from './record-text.ts'
import { RefusedError } from '../../errors/refused-error.ts'

const TIME = '2026-01-01 00:00:00'

describe('a record text', () => {
  test('has its items in order and the time last', () => {
    const keys = ['x', 'y', 'temperature'].map(recordKey)

    assert.equal(
      recordText(keys, [1.2, -3, 1e21], TIME),
      '{"x":1.2,"y":-3,"temperature":1e+21,"time":"2026-01-01 00:00:00"}',
    )
  })

  test('leaves absent items out', () => {
    const keys = ['x', 'y', 'z'].map(recordKey)

    assert.equal(recordText(keys, [undefined, 5], TIME), `{"y":5,"time":"${TIME}"}`)
    assert.equal(recordText(keys, [1, undefined, 2], TIME), `{"x":1,"z":2,"time":"${TIME}"}`)
  })

  test('writes minus zero as 0', () => {
    assert.equal(recordText(['"x":'], [-0], TIME), `{"x":0,"time":"${TIME}"}`)
  })

  test('is what JSON.stringify gives, whatever the keys and numbers are', () => {
    const number = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), {
      nil: undefined,
    })
    // JSON.stringify puts keys that look like array indices first.
    const key = fc.string({ unit: 'grapheme' }).filter((text) => !/^\d+$/.test(text))
    const property = fc.property(fc.array(fc.tuple(key, number), { minLength: 1 }), (pairs) => {
      const unique = [...new Map([...pairs, ['first', 1] as const])].filter(([k]) => k !== 'time')
      const record = Object.assign(Object.create(null), Object.fromEntries(unique))

      const text = recordText(
        unique.map(([k]) => recordKey(k)),
        unique.map(([, value]) => value),
        TIME,
      )

      assert.equal(text, JSON.stringify(Object.fromEntries([...unique, ['time', TIME]])))
      const head = Buffer.from(text).subarray(0, -TIME_SUFFIX_LENGTH).toString()
      assert.equal(`${head}}`, JSON.stringify(record))
    })
    fc.assert(property, { numRuns: runs(1000) })
  })

  test('is refused with a value that is not finite, by its key', () => {
    for (const value of [NaN, Infinity, -Infinity]) {
      assert.throws(
        () => recordText(['"x":', '"y":'], [1, value], TIME),
        new RefusedError('invalid', `"y" is ${value}, expected a finite number`),
      )
    }
  })

  test('is refused without any value', () => {
    const expected = new RefusedError('invalid', 'record has no value, expected at least one')

    assert.throws(() => recordText(['"x":'], [undefined], TIME), expected)
    assert.throws(() => recordText([], [], TIME), expected)
  })
})
