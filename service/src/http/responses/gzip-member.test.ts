import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { constants, crc32, deflateRawSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { DeflatePool } from './deflate-pool.ts'
import { GzipMember, gzipWhole } from './gzip-member.ts'
import type { DeflatedText } from '../../storage/storage.ts'

const pool = new DeflatePool()

type Kind = 'text' | 'bytes' | 'deflated'
type Given = { kind: Kind; text: string; isTaken: boolean }

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

/** What a member of these pieces is sent as; what is ready is taken after some of them. */
async function send(pieces: readonly Given[]): Promise<Buffer> {
  const member = new GzipMember(pool)
  const sent: Uint8Array[] = []
  const take = () => {
    const { bytes } = member
    const parts = member.take()
    assert.equal(Buffer.concat(parts).length, bytes)
    sent.push(...parts)
  }
  for (const { kind, text, isTaken } of pieces) {
    await member.add(MAKE[kind](text))
    if (isTaken) take()
  }
  await member.end()
  take()
  return Buffer.concat(sent)
}

const piecesOf = (kind: Kind, texts: readonly string[]): Given[] =>
  texts.map((text) => ({ kind, text, isTaken: false }))

const textOf = (pieces: readonly Given[]): string => pieces.map(({ text }) => text).join('')

/** From nothing to some 60 KB, and often around the edge between small and large. */
const text = fc
  .tuple(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
    fc.oneof(fc.nat(8), fc.nat(150), fc.nat(500), fc.nat(10_000)),
  )
  .map(([unit, times]) => unit.repeat(times))
const pieces: fc.Arbitrary<Given[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Kind>('text', 'bytes', 'deflated'),
    text,
    isTaken: fc.boolean(),
  }),
  { maxLength: 40, size: 'max' },
)

describe('a gzip member made of pieces', () => {
  test('has their text in their order, whatever their kinds and sizes', async () => {
    const property = fc.asyncProperty(pieces, async (given) => {
      assert.equal(gunzipSync(await send(given)).toString(), textOf(given))
    })
    await fc.assert(property, { numRuns: runs(300) })
  })

  test('is read by gzip itself', async () => {
    for (const given of fc.sample(pieces, 25)) {
      const read = execFileSync('gzip', ['-dc'], {
        input: await send(given),
        maxBuffer: 2 ** 30,
      })
      assert.equal(read.toString(), textOf(given))
    }
  })

  test('has an empty text when there are none', async () => {
    assert.equal(gunzipSync(await send([])).length, 0)
  })

  test('has texts that are small each and many together, the first ready before the last', async () => {
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

  test('has what is compressed as it lies, and what is small between as it is', async () => {
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

  test('is one member, however many its pieces', async () => {
    const given = [
      ...piecesOf('deflated', ['one', 'two']),
      ...piecesOf('bytes', ['three'.repeat(1_000)]),
    ]

    const sent = await send(given)

    const length = sent.readUInt32LE(sent.length - 4)
    assert.equal(length, Buffer.byteLength(textOf(given)))
    assert.equal(sent.readUInt32LE(sent.length - 8), crc32(textOf(given)))
  })
})

describe('a text as one gzip member', () => {
  test('is small or large, characters or bytes', async () => {
    for (const text of ['', '{"count":3}', 'Brücke 桥 '.repeat(10_000)])
      for (const given of [text, Buffer.from(text)])
        assert.equal(gunzipSync(await gzipWhole(given, pool)).toString(), text)
  })

  test('leaves the bytes it is given', async () => {
    const kept = new Uint8Array(100_000).fill(65)

    await gzipWhole(kept, pool)

    assert.equal(Buffer.from(kept).toString(), 'A'.repeat(100_000))
  })
})
