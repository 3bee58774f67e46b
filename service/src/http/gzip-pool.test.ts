import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { GzipPool } from './gzip-pool.ts'

const SIZES = [1, 1_000, 65_535, 65_536, 65_537, 200_000, 3_000_000]

test('bodies of any size come out of gunzip as they went in, one after another', async () => {
  const pool = new GzipPool()

  for (const size of [...SIZES, ...SIZES.toReversed()]) {
    const body = randomBytes(size)
    assert.deepEqual(gunzipSync(await pool.compress(body)), body, `${size} bytes`)
  }
})

test('bodies compressed at the same time do not mix', async () => {
  const pool = new GzipPool()
  const bodies = Array.from({ length: 100 }, (_, index) => `${index}桥`.repeat(1 + index * 300))

  const compressed = await Promise.all(bodies.map((body) => pool.compress(body)))

  assert.deepEqual(
    compressed.map((bytes) => gunzipSync(bytes).toString()),
    bodies,
  )
})

test('every answer has a header and a trailer of its own', async () => {
  const pool = new GzipPool()

  const first = await pool.compress('{"a":1}')
  const second = await pool.compress('{"a":1}')

  assert.deepEqual(first, second)
})
