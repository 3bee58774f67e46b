import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { constants, crc32, deflateRawSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { DeflatePool } from '../../encodings/deflate-pool.ts'
import { GzipMember, gzipWhole } from './gzip-member.ts'
import type { DeflatedText } from '../../storage/storage.ts'

const pool = new DeflatePool()

type Kind = 'text' | 'bytes' | 'deflated'
type TestChunk = { kind: Kind; text: string; isTaken: boolean }

function deflate(text: string): DeflatedText {
  const bytes = Buffer.from(text)
  return {
    deflated: deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }),
    length: bytes.length,
    crc: crc32(bytes),
  }
}

const MAKE: Record<Kind, (text: string) => string | Uint8Array | DeflatedText> = {
  text: (text) => text,
  bytes: (text) => Buffer.from(text),
  deflated: deflate,
}

/** The bytes of a member of these chunks; the buffered ones are taken after some chunks. */
async function send(chunks: readonly TestChunk[]): Promise<Buffer> {
  const member = new GzipMember(pool)
  const sent: Uint8Array[] = []
  const take = () => {
    const { bytes } = member
    const parts = member.take()
    assert.equal(Buffer.concat(parts).length, bytes)
    sent.push(...parts)
  }
  for (const { kind, text, isTaken } of chunks) {
    await member.add(MAKE[kind](text))
    if (isTaken) take()
  }
  await member.end()
  take()
  return Buffer.concat(sent)
}

const chunksOf = (kind: Kind, texts: readonly string[]): TestChunk[] =>
  texts.map((text) => ({ kind, text, isTaken: false }))

const textOf = (chunks: readonly TestChunk[]): string => chunks.map(({ text }) => text).join('')

/** From nothing to 60 KB, and often around the limit between small and large. */
const text = fc
  .tuple(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
    fc.oneof(fc.nat(8), fc.nat(150), fc.nat(500), fc.nat(10_000)),
  )
  .map(([unit, times]) => unit.repeat(times))
const chunks: fc.Arbitrary<TestChunk[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Kind>('text', 'bytes', 'deflated'),
    text,
    isTaken: fc.boolean(),
  }),
  { maxLength: 40, size: 'max' },
)

describe('a gzip member made of chunks', () => {
  test('has their text in their order, for all kinds and sizes', async () => {
    const property = fc.asyncProperty(chunks, async (given) => {
      assert.equal(gunzipSync(await send(given)).toString(), textOf(given))
    })
    await fc.assert(property, { numRuns: runs(300) })
  })

  test('is read by gzip itself', async () => {
    for (const given of fc.sample(chunks, 25)) {
      const read = execFileSync('gzip', ['-dc'], {
        input: await send(given),
        maxBuffer: 2 ** 30,
      })
      assert.equal(read.toString(), textOf(given))
    }
  })

  test('without chunks has an empty text', async () => {
    assert.equal(gunzipSync(await send([])).length, 0)
  })

  test('compresses many small texts in groups, the first before the last arrives', async () => {
    const member = new GzipMember(pool)
    const heads = Array.from({ length: 5_000 }, (_, id) => `{"id":${id},"name":"桥 ${id}"},`)

    for (const head of heads) await member.add(head)
    const ready = member.bytes
    await member.end()

    const sent = Buffer.concat(member.take())
    assert.equal(gunzipSync(sent).toString(), heads.join(''))
    assert.ok(sent.length < Buffer.byteLength(heads.join('')) / 3, `${sent.length} bytes`)
    assert.ok(ready > sent.length / 2, `${ready} bytes of ${sent.length}`)
  })

  test('copies deflated texts, and stores small texts between them', async () => {
    const day = deflate('{"strain":1},'.repeat(1_000))
    const member = new GzipMember(pool)

    void member.add('{"data":[')
    void member.add(day)
    void member.add(']}')
    void member.end()

    const parts = member.take()
    assert.ok(parts.includes(day.deflated))
    const sent = Buffer.concat(parts)
    assert.equal(gunzipSync(sent).toString(), `{"data":[${'{"strain":1},'.repeat(1_000)}]}`)
    assert.ok(sent.includes('{"data":['))
    assert.ok(sent.includes(']}'))
  })

  test('is one member for any number of chunks', async () => {
    const given = [
      ...chunksOf('deflated', ['one', 'two']),
      ...chunksOf('bytes', ['three'.repeat(1_000)]),
    ]

    const sent = await send(given)

    const length = sent.readUInt32LE(sent.length - 4)
    assert.equal(length, Buffer.byteLength(textOf(given)))
    assert.equal(sent.readUInt32LE(sent.length - 8), crc32(textOf(given)))
  })
})

describe('a text as one gzip member', () => {
  test('may be small or large, a string or bytes', async () => {
    for (const text of ['', '{"count":3}', 'Brücke 桥 '.repeat(10_000)])
      for (const given of [text, Buffer.from(text)])
        assert.equal(gunzipSync(await gzipWhole(given, pool)).toString(), text)
  })

  test('does not change the bytes of the caller', async () => {
    const kept = new Uint8Array(100_000).fill(65)

    await gzipWhole(kept, pool)

    assert.equal(Buffer.from(kept).toString(), 'A'.repeat(100_000))
  })
})
