import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Encoding } from '../../encodings/character-encoding.ts'
import { requireEncoding } from './require-encoding.ts'

const TEXT = 'Time;S\n2024-03-01 00:00:00;1\n'
const little = Buffer.from(TEXT, 'utf16le')
const big = Buffer.from(little).swap16()
const MARK = '\u{feff}'

function read(bytes: Uint8Array, encoding: Encoding, chunkBytes = 5): Promise<Uint8Array[]> {
  return Array.fromAsync(
    requireEncoding(
      (async function* () {
        for (let at = 0; at < bytes.length; at += chunkBytes)
          yield bytes.subarray(at, at + chunkBytes)
      })(),
      encoding,
    ),
  )
}

test('a file in the encoding of its mapping is passed on whole', async () => {
  const marked = Buffer.from(`${MARK}${TEXT}`)
  const long = Buffer.from(TEXT.repeat(100))
  for (const [bytes, encoding] of [
    [Buffer.from(TEXT), 'utf-8'],
    [marked, 'utf-8'],
    [marked, 'windows-1252'],
    [long, 'latin1'],
    [little, 'utf-16le'],
    [Buffer.from(`${MARK}${TEXT}`, 'utf16le'), 'utf-16le'],
    [big, 'utf-16be'],
    [Buffer.alloc(0), 'utf-8'],
    [Buffer.from('a'), 'utf-16le'],
    [Buffer.from('測點測點測點測點', 'utf16le'), 'utf-8'],
  ] as const)
    assert.deepEqual(Buffer.concat(await read(bytes, encoding)), bytes)
})

test('a file in another encoding is refused by a sentence that names both', async () => {
  for (const [bytes, encoding, found, expected] of [
    [
      Buffer.from(`${MARK}${TEXT}`, 'utf16le'),
      'utf-8',
      'UTF-16, little endian (by its byte order mark)',
      'utf-16le',
    ],
    [
      Buffer.from(`${MARK}${TEXT}`, 'utf16le').swap16(),
      'latin1',
      'UTF-16, big endian (by its byte order mark)',
      'utf-16be',
    ],
    [little, 'utf-8', 'UTF-16, little endian (every other byte is NUL)', 'utf-16le'],
    [big, 'windows-1252', 'UTF-16, big endian (every other byte is NUL)', 'utf-16be'],
    [big, 'utf-16le', 'UTF-16, big endian (every other byte is NUL)', 'utf-16be'],
    [Buffer.from(`${MARK}${TEXT}`), 'utf-16le', 'UTF-8 (by its byte order mark)', 'utf-8'],
  ] as const)
    await assert.rejects(read(bytes, encoding), {
      name: 'RefusedError',
      message: `the file is ${found}, but its mapping says "encoding: ${encoding}"; expected "encoding: ${expected}" in the mapping, or a file in ${encoding}`,
    })
})

test('text of one byte a character is no UTF-16, and UTF-32 is not read', async () => {
  await assert.rejects(read(Buffer.from(TEXT), 'utf-16le'), {
    message:
      'the file is text of one byte a character, or UTF-8, but its mapping says "encoding: utf-16le"; expected another encoding of the mapping or of the file',
  })
  await assert.rejects(read(Uint8Array.of(0xff, 0xfe, 0, 0, 65, 0, 0, 0), 'utf-16le'), {
    message:
      'the file is UTF-32, little endian (by its byte order mark), but its mapping says "encoding: utf-16le"; expected another encoding of the mapping or of the file',
  })
})

test('reserved space says nothing of the encoding', async () => {
  const bytes = Buffer.concat([Buffer.from('1\n'), Buffer.alloc(1000)])

  assert.deepEqual(Buffer.concat(await read(bytes, 'utf-8')), bytes)
})
