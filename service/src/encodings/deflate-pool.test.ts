import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { DeflatePool } from './deflate-pool.ts'

const SIZES = [1, 1_000, 65_535, 65_536, 65_537, 200_000, 3_000_000]

/** The empty final block of a stream (RFC 1951, 3.2.6). */
const LAST_BLOCK = Buffer.from([3, 0])

const inflate = (deflated: Buffer): Buffer => inflateRawSync(Buffer.concat([deflated, LAST_BLOCK]))

test('texts of any size can be inflated', async () => {
  const pool = new DeflatePool()

  for (const size of [...SIZES, ...SIZES.toReversed()]) {
    const text = randomBytes(size)
    assert.deepEqual(inflate(await pool.deflate(text)), text, `${size} bytes`)
  }
})

test('texts compressed at the same time do not mix', async () => {
  const pool = new DeflatePool()
  const texts = Array.from({ length: 100 }, (_, index) => `${index}桥`.repeat(1 + index * 300))

  // The second run reuses the compressors.
  for (const _ of [1, 2]) {
    const deflated = await Promise.all(texts.map((text) => pool.deflate(Buffer.from(text))))
    assert.deepEqual(
      deflated.map((one) => inflate(one).toString()),
      texts,
    )
  }
})

test('a text does not refer to the one before it', async () => {
  const pool = new DeflatePool()
  const text = Buffer.from('{"strain":1.25,"time":"2024-01-01 00:00:00"}')

  const first = await pool.deflate(text)
  const second = await pool.deflate(text)

  assert.deepEqual(first, second)
})
