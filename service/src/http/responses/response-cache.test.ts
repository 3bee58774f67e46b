import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { constants, crc32, inflateRawSync } from 'node:zlib'
import { DeflatePool } from '../../encodings/deflate-pool.ts'
import { ResponseCache } from './response-cache.ts'

const pool = new DeflatePool()

/** A response of `count` texts of 100 bytes, and how often it was written. */
function response(count: number, letter = 'a') {
  const made = { times: 0 }
  async function* write() {
    made.times++
    for (let at = 0; at < count; at++) yield letter.repeat(100)
  }
  return { made, write }
}

async function* fail() {
  yield 'x'
  throw new Error('no more')
}

async function read(cache: ResponseCache, key: string, write: () => AsyncIterable<string>) {
  let text = ''
  for await (const chunk of cache.serve(key, write).plain()) text += Buffer.from(chunk).toString()
  return text
}

describe('the cache of responses', () => {
  test('writes a response once while it fits, plain and compressed separately', async () => {
    const cache = new ResponseCache(10_000, pool)
    const { made, write } = response(3)

    const first = await read(cache, 'a', write)
    const second = await read(cache, 'a', write)
    for (const _time of [1, 2])
      for await (const chunk of cache.serve('a', write).gzip()) {
        assert.ok(typeof chunk === 'object' && 'deflated' in chunk)
        const text = inflateRawSync(chunk.deflated, { finishFlush: constants.Z_SYNC_FLUSH })
        assert.equal(text.toString(), 'a'.repeat(100))
        assert.deepEqual([chunk.length, chunk.crc], [100, crc32(text)])
      }

    assert.deepEqual([first, second], ['a'.repeat(300), 'a'.repeat(300)])
    assert.equal(made.times, 2)
  })

  test('does not remove a response that is being read', async () => {
    const cache = new ResponseCache(1_000, pool)
    const [a, b] = [response(8, 'a'), response(8, 'b')]
    await read(cache, 'a', a.write)
    const reading = cache.serve('a', a.write).plain()[Symbol.asyncIterator]()
    await reading.next()

    await read(cache, 'b', b.write)
    assert.equal(cache.bytes, 800)
    await reading.return?.()
    await read(cache, 'a', a.write)

    assert.equal(a.made.times, 1)
  })

  test('removes the least recently used response first, and never exceeds its limit', async () => {
    const cache = new ResponseCache(1_000, pool)
    const [a, b, c] = [response(4, 'a'), response(4, 'b'), response(4, 'c')]

    for (const [key, { write }] of [
      ['a', a],
      ['b', b],
      ['a', a],
      ['c', c],
      ['a', a],
      ['b', b],
    ] as const) {
      assert.equal(await read(cache, key, write), key.repeat(400))
      assert.ok(cache.bytes <= 1_000, `${cache.bytes} bytes`)
    }

    assert.deepEqual([a.made.times, b.made.times, c.made.times], [1, 2, 1])
  })

  test('does not store a response that is larger than its limit', async () => {
    const cache = new ResponseCache(1_000, pool)
    const { made, write } = response(11)

    await read(cache, 'a', write)
    await read(cache, 'a', write)

    assert.equal(made.times, 2)
    assert.equal(cache.bytes, 0)
  })

  test('with a limit of 0 stores nothing', async () => {
    const cache = new ResponseCache(0, pool)
    const { made, write } = response(1)

    await read(cache, 'a', write)
    await read(cache, 'a', write)

    assert.deepEqual([made.times, cache.bytes], [2, 0])
  })

  test('does not store a response that was not read to its end or that failed', async () => {
    const cache = new ResponseCache(10_000, pool)
    const { made, write } = response(5)

    for await (const _chunk of cache.serve('a', write).plain()) break
    await assert.rejects(read(cache, 'b', fail), /no more/)

    assert.equal(cache.bytes, 0)
    assert.equal((await read(cache, 'a', write)).length, 500)
    assert.equal(made.times, 2)
  })

  test('simultaneous requests both get the whole response, and slow readers stay within the limit', async () => {
    const cache = new ResponseCache(1_000, pool)
    const writes = Array.from({ length: 5 }, () => response(4))
    const readers = writes.flatMap(({ write }, index) =>
      [1, 2].map(() => cache.serve(`${index}`, write).plain()[Symbol.asyncIterator]()),
    )

    let lengths = readers.map(() => 0)
    for (let step = 0; step < 5; step++)
      for (const [at, reader] of readers.entries()) {
        const { value, done } = await reader.next()
        if (done !== true) lengths = lengths.with(at, lengths[at]! + (value as Uint8Array).length)
        assert.ok(cache.bytes <= 1_000, `${cache.bytes} bytes`)
      }

    assert.ok(lengths.every((length) => length === 400))
  })
})
