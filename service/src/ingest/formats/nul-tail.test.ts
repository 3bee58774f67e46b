import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Encoding } from '../../encodings/character-encoding.ts'
import { countTurns } from '../../../test/_event-loop-turns.ts'
import { NulTail } from './nul-tail.ts'

async function cut(bytes: Buffer, encoding: Encoding = 'utf-8', chunkBytes = 3) {
  const tail = new NulTail(encoding)
  const pieces = await Array.fromAsync(
    tail.cutOff(
      (async function* () {
        for (let at = 0; at < bytes.length; at += chunkBytes)
          yield bytes.subarray(at, at + chunkBytes)
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

test('a file without NUL bytes, of NUL bytes only, or empty loses nothing else', async () => {
  assert.deepEqual(await cut(Buffer.from('a\n')), { data: Buffer.from('a\n'), length: 0 })
  assert.deepEqual(await cut(Buffer.alloc(10)), { data: Buffer.alloc(0), length: 10 })
  assert.deepEqual(await cut(Buffer.alloc(0)), { data: Buffer.alloc(0), length: 0 })
})

test('a character of UTF-16 keeps its NUL byte', async () => {
  const text = Buffer.from('é1\n', 'utf16le')
  const swapped = Buffer.from(text).swap16()

  for (const chunkBytes of [1, 2, 3, 100]) {
    const little = await cut(Buffer.concat([text, Buffer.alloc(8)]), 'utf-16le', chunkBytes)
    const big = await cut(Buffer.concat([swapped, Buffer.alloc(8)]), 'utf-16be', chunkBytes)

    assert.deepEqual(little, { data: text, length: 8 })
    assert.deepEqual(big, { data: swapped, length: 8 })
  }
})

test('a long run of NUL bytes before others is passed on whole, in chunks of a limited size', async () => {
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

test('more NUL bytes in a row than the limit end the reading, whatever follows', async () => {
  let read = 0
  async function* endless() {
    yield Buffer.from('a\n\0\0')
    for (; read < 1000; read++) yield Buffer.alloc(1000)
  }
  const tail = new NulTail('utf-8', 10_000)

  const data = Buffer.concat(await Array.fromAsync(tail.cutOff(endless())))

  assert.deepEqual([data.toString(), tail.isTooLong, tail.length, read], ['a\n', true, 10_002, 9])
})

test('as many NUL bytes in a row as the limit are passed on, repeatedly', async () => {
  const bytes = Buffer.concat(['a', 'b', 'c'].map((text) => Buffer.from(text.padEnd(1001, '\0'))))
  const tail = new NulTail('utf-8', 1000)

  const pieces = await Array.fromAsync(tail.cutOff(ReadableStream.from([bytes, Buffer.alloc(0)])))

  assert.deepEqual([Buffer.concat(pieces).length, tail.isTooLong], [2003, false])
})

test('other work runs while a long run is passed on', async () => {
  const chunks = ReadableStream.from([Buffer.alloc(20 * 2 ** 20), Buffer.from('x')])

  const turns = await countTurns(() =>
    Array.fromAsync(new NulTail('utf-8').cutOff(chunks), ({ length }) => length),
  )

  assert.ok(turns >= 19, `${turns}`)
})
