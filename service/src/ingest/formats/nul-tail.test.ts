import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Encoding } from './lines.ts'
import { NulTail } from './nul-tail.ts'

async function cut(bytes: Buffer, encoding: Encoding = 'utf-8', pieceBytes = 3) {
  const tail = new NulTail(encoding)
  const pieces = await Array.fromAsync(
    tail.cutOff(
      (async function* () {
        for (let at = 0; at < bytes.length; at += pieceBytes)
          yield bytes.subarray(at, at + pieceBytes)
      })(),
    ),
  )
  return { data: Buffer.concat(pieces), length: tail.length }
}

test('NUL bytes at the end are left out and counted, those before others are not', async () => {
  const { data, length } = await cut(Buffer.from('ab\0\0\0\0\0\0c\n\0\0\0\0\0'))

  assert.equal(data.toString(), 'ab\0\0\0\0\0\0c\n')
  assert.equal(length, 5)
})

test('what has none, is nothing else or is empty loses nothing else', async () => {
  assert.deepEqual(await cut(Buffer.from('a\n')), { data: Buffer.from('a\n'), length: 0 })
  assert.deepEqual(await cut(Buffer.alloc(10)), { data: Buffer.alloc(0), length: 10 })
  assert.deepEqual(await cut(Buffer.alloc(0)), { data: Buffer.alloc(0), length: 0 })
})

test('a character of UTF-16 keeps its NUL byte', async () => {
  const text = Buffer.from('é1\n', 'utf16le')
  const swapped = Buffer.from(text).swap16()

  for (const pieceBytes of [1, 2, 3, 100]) {
    const little = await cut(Buffer.concat([text, Buffer.alloc(8)]), 'utf-16le', pieceBytes)
    const big = await cut(Buffer.concat([swapped, Buffer.alloc(8)]), 'utf-16be', pieceBytes)

    assert.deepEqual(little, { data: text, length: 8 })
    assert.deepEqual(big, { data: swapped, length: 8 })
  }
})

test('a long run of NUL bytes before others comes whole, in pieces of a bounded size', async () => {
  const bytes = Buffer.concat([Buffer.alloc(200_000), Buffer.from('x')])
  const tail = new NulTail('utf-8')

  const pieces = await Array.fromAsync(
    tail.cutOff(
      (async function* () {
        yield bytes
      })(),
    ),
  )

  assert.deepEqual(Buffer.concat(pieces), bytes)
})
