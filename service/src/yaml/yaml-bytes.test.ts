import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOfBytes } from './yaml-bytes.ts'

const read = (bytes: Buffer) => textOfBytes(bytes, 'site.yaml')

test('a file in UTF-8 is read, also one in Chinese', () => {
  assert.equal(read(Buffer.from('name: 大桥\n')), 'name: 大桥\n')
  assert.equal(read(Buffer.alloc(0)), '')
})

test('a file in GBK is refused with its first line that is not UTF-8', () => {
  const bridge = Buffer.from([0xb4, 0xf3, 0xc7, 0xc5])
  const expected = {
    message:
      'site.yaml:2: this line is not UTF-8; it may be GBK, expected UTF-8: save the file as UTF-8',
  }

  assert.throws(() => read(Buffer.concat([Buffer.from('a: 1\nname: '), bridge])), expected)
  assert.throws(
    () => read(Buffer.concat([Buffer.from('a: 1\nname: '), bridge, Buffer.from('\nb: 2\n')])),
    expected,
  )
})

test('a file in UTF-16 is refused, with and without a byte order mark', () => {
  const message = 'site.yaml:1: the file is UTF-16, expected UTF-8: save the file as UTF-8'
  const little = Buffer.from('name: 大桥\n', 'utf16le')

  for (const bytes of [
    little,
    Buffer.concat([Buffer.from([0xff, 0xfe]), little]),
    Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(little).swap16()]),
    Buffer.from('\u{feff}大\n', 'utf16le'),
  ])
    assert.throws(() => read(bytes), { message })
})
