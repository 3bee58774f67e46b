import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readPayload, sizeOf, toBase64 } from './payload.ts'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

test('text is shown as it was received', () => {
  assert.deepEqual(readPayload(base64(Buffer.from('{"strain": "4,7 µε"}'))), {
    text: '{"strain": "4,7 µε"}',
    isBinary: false,
    bytes: 22,
    isShortened: false,
  })
})

test('bytes that are no text are shown as hexadecimal digits, with their offsets', () => {
  const { text, isBinary } = readPayload(base64(Uint8Array.from({ length: 18 }, (_, at) => at)))

  assert.ok(isBinary)
  assert.equal(text, '000000  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n000010  10 11')
})

test('a character that the end of what is shown cuts leaves the text a text', () => {
  const { isBinary, isShortened } = readPayload(base64(Buffer.from(`a${'µ'.repeat(40_000)}`)))

  assert.deepEqual({ isBinary, isShortened }, { isBinary: false, isShortened: true })
})

test('the size is that of the bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      assert.equal(sizeOf(base64(bytes)), bytes.length)
    }),
  )
})

test('a corrected text is sent as its UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      assert.equal(Buffer.from(toBase64(text), 'base64').toString(), text)
    }),
  )
})
