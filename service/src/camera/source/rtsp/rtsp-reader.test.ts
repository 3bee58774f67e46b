import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { formatMessage, headerOf, statusOf } from './rtsp-message.ts'
import { RtspReader, type RtspUnit } from './rtsp-reader.ts'

type Written = { bytes: Buffer; unit: string }

const body = fc.string({ unit: 'binary-ascii', maxLength: 80 })

const message: fc.Arbitrary<Written> = fc
  .tuple(fc.constantFrom('RTSP/1.0 200 OK', 'OPTIONS * RTSP/1.0', 'GET_PARAMETER x RTSP/1.0'), body)
  .map(([start, body]) => ({
    bytes: formatMessage(start, { CSeq: 7 }, body),
    unit: `${start} ${body}`,
  }))

const media: fc.Arbitrary<Written> = fc
  .tuple(fc.nat(15), fc.uint8Array({ maxLength: 400 }))
  .map(([channel, payload]) => {
    const bytes = Buffer.from([
      0x24,
      channel,
      payload.length >> 8,
      payload.length & 0xff,
      ...payload,
    ])
    return { bytes, unit: `${channel} ${bytes.toString('hex')}` }
  })

const show = (unit: RtspUnit): string =>
  unit.kind === 'frame'
    ? `${unit.channel} ${unit.bytes.toString('hex')}`
    : `${unit.message.start} ${unit.message.body.toString('latin1')}`

/** Divides bytes at some places. */
function divide(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [0, ...places.map((at) => at % (bytes.length + 1)), bytes.length]
  const sorted = cuts.toSorted((one, other) => one - other)
  return sorted.slice(1).map((end, at) => bytes.subarray(sorted[at], end))
}

function readAll(chunks: readonly Buffer[]): string[] {
  const reader = new RtspReader()
  return chunks.flatMap((chunk) => reader.read(chunk)).map(show)
}

describe('RtspReader', () => {
  test('finds every message and frame, wherever what arrives is divided', () => {
    const places = fc.array(fc.nat(), { maxLength: 12 })
    fc.assert(
      fc.property(fc.array(fc.oneof(message, media)), places, (written, places) => {
        const bytes = Buffer.concat(written.map(({ bytes }) => bytes))

        assert.deepEqual(
          readAll(divide(bytes, places)),
          written.map(({ unit }) => unit),
        )
      }),
      { numRuns: runs(2_000) },
    )
  })

  test('finds its way again after garbage that looks like nothing else', () => {
    const garbage = fc
      .uint8Array({ minLength: 1, maxLength: 100 })
      .map((bytes) => Buffer.from(bytes.map((byte) => (byte % 26) + 0x61)))
    const part = fc.oneof(message, media, garbage)
    fc.assert(
      fc.property(fc.array(part), fc.array(fc.nat()), (parts, places) => {
        const bytes = parts.map((one) => (Buffer.isBuffer(one) ? one : one.bytes))
        const units = parts.flatMap((one) => (Buffer.isBuffer(one) ? [] : [one.unit]))

        assert.deepEqual(readAll(divide(Buffer.concat(bytes), places)), units)
      }),
      { numRuns: runs(1_000) },
    )
  })

  test('any bytes are read, or refused by an error that names the camera', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ size: 'large' })), (chunks) => {
        try {
          readAll(chunks.map((chunk) => Buffer.from(chunk)))
        } catch (error) {
          assert.match(String(error), /^SourceError: The camera sent/)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test('takes lines that end with LF alone, and headers in any case', () => {
    const [unit] = new RtspReader().read(
      Buffer.from(
        'RTSP/1.0 401 No\ncseq:4\nWWW-Authenticate: a\nwww-authenticate:b\ncontent-LENGTH: 2\n\nok',
      ),
    )

    assert.ok(unit?.kind === 'message')
    assert.equal(statusOf(unit.message), 401)
    assert.equal(headerOf(unit.message, 'cseq'), '4')
    assert.deepEqual(unit.message.headers.get('www-authenticate'), ['a', 'b'])
    assert.equal(unit.message.body.toString(), 'ok')
  })

  test('a header cannot bring another one', () => {
    const bytes = formatMessage('RTSP/1.0 200 OK', {
      Session: '1\r\nLocation: x',
      Public: undefined,
    })

    assert.equal(bytes.toString(), 'RTSP/1.0 200 OK\r\nSession: 1Location: x\r\n\r\n')
  })
})
