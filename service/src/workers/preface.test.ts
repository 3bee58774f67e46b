import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readPreface, writePreface } from './preface.ts'

const KEY = '0123456789abcdef'

test('a preface gives the address that was written', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant('')), (address) => {
      assert.equal(readPreface(writePreface(KEY, address).slice(0, -1), KEY), address)
    }),
  )
})

test('a line without the key gives nothing', () => {
  assert.equal(readPreface('', KEY), undefined)
  assert.equal(readPreface('GET / HTTP/1.1', KEY), undefined)
  assert.equal(readPreface(`${KEY}127.0.0.1`, KEY), undefined)
  fc.assert(
    fc.property(fc.string(), (line) => {
      fc.pre(!line.startsWith(KEY))
      assert.equal(readPreface(line, KEY), undefined)
    }),
  )
})
