import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import { registerRowCheck } from './row-check.ts'

test('the checksum of a row is the CRC-32 of its values in order, with their types', (t) => {
  const database = new Sqlite(':memory:')
  t.after(() => database.close())
  registerRowCheck(database)
  const check = (...values: unknown[]): unknown =>
    database
      .prepare(`select row_check(${values.map(() => '?').join(', ')})`)
      .pluck()
      .get(...values)
  const bytes = Uint8Array.of(1, 2, 255)
  const parts = ['number1 7', 'string2 坝1', '-', 'b3 ', bytes, '-', 'string0 ', 'number4 -1.5']

  const expected = parts.reduce((crc, part) => crc32(part, crc), 0)

  assert.equal(check(7, '坝1', null, bytes, null, '', -1.5), expected)
  assert.equal(check(), 0)
  assert.equal(check(bytes), crc32(bytes, crc32('b3 ')))
})
