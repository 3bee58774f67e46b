import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { rowCheck } from './row-check.ts'

test('the checksum of a row is that of its values one after the other, as databases have it', () => {
  const bytes = Uint8Array.of(1, 2, 255)
  const parts = ['number1 7', 'string2 坝1', '-', 'b3 ', bytes, '-', 'string0 ', 'number4 -1.5']
  let expected = 0
  for (const part of parts) expected = crc32(part, expected)

  assert.equal(rowCheck([7, '坝1', null, bytes, null, '', -1.5]), expected)
  assert.equal(rowCheck([]), 0)
  assert.equal(rowCheck([bytes]), crc32(bytes, crc32('b3 ')))
})
