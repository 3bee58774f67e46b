import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Encoding } from '../character-encoding.ts'
import { Fields } from './fields.ts'
import type { Line } from './line.ts'
import { LineSplitter } from './lines.ts'

const ENCODINGS: Encoding[] = ['utf-8', 'latin1', 'windows-1252', 'utf-16le', 'utf-16be']

function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le')
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16()
  return Buffer.from(text, 'latin1')
}

function split(chunks: Uint8Array[], splitter: LineSplitter): Line[] {
  const lines = chunks.flatMap((chunk) => splitter.push(chunk))
  const last = splitter.end()
  return last === undefined ? lines : [...lines, last]
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = []
  let at = 0
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length]!
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

const shown = ({ number, text, start, end }: Line) => ({ number, text, start, end })

test('lines are the same however the bytes are cut, in every encoding', () => {
  const character = fc.constantFrom('a', 'é', '°', '\n', '\r\n', '\u{a0a}', '\u{a00}', '1')
  fc.assert(
    fc.property(
      fc.constantFrom(...ENCODINGS),
      fc.array(character),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      (encoding, characters, sizes, hasMark) => {
        const isNarrow = encoding === 'latin1' || encoding === 'windows-1252'
        const text = characters.join('').replaceAll(isNarrow ? /[\u0a00\u0a0a]/g : /^$/g, 'x')
        const mark = hasMark && !isNarrow ? '\u{feff}' : ''
        const bytes = encode(mark + text, encoding)

        const lines = split(cut(bytes, sizes), new LineSplitter({ encoding }))

        const expected = text.split('\n')
        if (expected.at(-1) === '' && (mark === '' || expected.length > 1)) expected.pop()
        assert.deepEqual(
          lines.map((line) => line.text),
          expected.map((line) => line.replace(/\r$/, '')),
        )
        assert.deepEqual(
          lines.map(({ number }) => number),
          lines.map((_, index) => index + 1),
        )
        let end = 0
        for (const line of lines) {
          assert.equal(line.start, end)
          end = line.end
        }
        assert.equal(end, bytes.length)
        const again = lines.map(({ start, end }) =>
          split([bytes.subarray(start, end)], new LineSplitter({ encoding, offset: start })),
        )
        assert.deepEqual(
          again.flat().map(({ text }) => text),
          lines.map(({ text }) => text),
        )
      },
    ),
  )
})

test('a line that is too long is cut and told, and the next one is whole', () => {
  for (const encoding of ENCODINGS) {
    const bytes = encode(`one\n${'x'.repeat(20_000)}\nthree\n`, encoding)
    const splitter = new LineSplitter({ encoding, mostBytes: 4000 })

    const lines = split(cut(bytes, [777]), splitter)

    assert.deepEqual(
      lines.map(({ text, isTooLong }) => [text.length < 2000 && text.slice(0, 5), isTooLong]),
      [
        ['one', false],
        ['xxxxx', true],
        ['three', false],
      ],
      encoding,
    )
    assert.equal(lines.at(-1)!.end, bytes.length)
  }
})

test('characters of Windows that Latin-1 does not have are read', () => {
  const splitter = new LineSplitter({ encoding: 'windows-1252' })

  assert.equal(splitter.push(Buffer.from([0x80, 0x31, 0xb0, 0x0a]))[0]!.text, '€1°')
})

test('reserved space before a line is left out however the bytes are cut, and the places stay right', () => {
  const part = fc.record({
    gap: fc.integer({ min: 0, max: 12 }),
    text: fc.constantFrom('', 'a', '12;3', 'é\0', '1\0\u{0}2'),
  })
  fc.assert(
    fc.property(
      fc.constantFrom(...ENCODINGS),
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      (encoding, parts, sizes) => {
        const bytes = encode(
          parts.map(({ gap, text }) => `${'\0'.repeat(gap)}${text}\n`).join(''),
          encoding,
        )
        const splitter = new LineSplitter({ encoding })

        const lines = split(cut(bytes, sizes), splitter)

        assert.deepEqual(
          lines.map(({ text }) => text),
          parts.map(({ text }) => text),
        )
        const unit = encode('\0', encoding).length
        let end = 0
        for (const [index, { gap, text }] of parts.entries()) {
          const start = end + gap * unit
          end = start + encode(`${text}\n`, encoding).length
          assert.deepEqual([lines[index]!.start, lines[index]!.end], [start, end])
          const onwards = new LineSplitter({ encoding, offset: end, lines: index + 1 })
          assert.deepEqual(
            split(cut(bytes.subarray(end), sizes), onwards).map(shown),
            lines.slice(index + 1).map(shown),
          )
        }
        const gaps = parts.reduce((sum, { gap }) => sum + gap * unit, 0)
        assert.equal(splitter.nulBytes, gaps)
      },
    ),
  )
})

test('a line behind reserved space of any length is whole', () => {
  for (const encoding of ENCODINGS) {
    const splitter = new LineSplitter({ encoding, mostBytes: 4000 })
    const bytes = encode(`one\n${'\0'.repeat(20_000)}two\n`, encoding)

    const lines = split(cut(bytes, [777]), splitter)

    assert.deepEqual(
      lines.map(({ text, isTooLong }) => [text, isTooLong]),
      [
        ['one', false],
        ['two', false],
      ],
      encoding,
    )
    assert.equal(lines.at(-1)!.end, bytes.length)
  }
})

/** Characters in GBK; the second byte of 東 is a bar. */
const GBK: Readonly<Record<string, readonly number[]>> = {
  a: [0x61],
  '|': [0x7c],
  東: [0x96, 0x7c],
  '°': [0xa1, 0xe3],
  '\n': [0x0a],
}

test('lines in GBK have their texts and places however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...Object.keys(GBK)), { maxLength: 30 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
      (characters, sizes) => {
        const bytes = Buffer.from(characters.flatMap((character) => GBK[character]!))

        const lines = split(cut(bytes, sizes), new LineSplitter({ encoding: 'gbk' }))

        const expected = characters.join('').split('\n')
        if (expected.at(-1) === '') expected.pop()
        assert.deepEqual(
          lines.map(({ text }) => text),
          expected,
        )
        assert.deepEqual(
          lines.map((line) => new Fields({ delimiter: '|' }).texts(line)),
          expected.map((text) => text.split('|')),
        )
        assert.equal(lines.at(-1)?.end ?? 0, bytes.length)
      },
    ),
  )
})
