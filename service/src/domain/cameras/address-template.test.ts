import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { parseAddressTemplate, type AddressValues } from './address-template.ts'

const VALUES: AddressValues = {
  camera: 12,
  serialNo: 'C 3/0?4#1&1',
  channel: 2,
  quality: 'h',
  grant: '12.h.1780000000.abc_-',
  expires: 1_780_000_000,
}

describe('an address template', () => {
  test('has the values in place of its placeholders', () => {
    const template = parseAddressTemplate(
      'https://media.example/live/{camera}-{quality}.m3u8?grant={grant}&until={expires}&ch={channel}',
    )

    assert.equal(
      template.write(VALUES),
      'https://media.example/live/12-h.m3u8?grant=12.h.1780000000.abc_-&until=1780000000&ch=2',
    )
    assert.deepEqual(
      [...template.placeholders],
      ['camera', 'quality', 'grant', 'expires', 'channel'],
    )
  })

  test('encodes a value where it stands', () => {
    assert.equal(
      parseAddressTemplate('rtmp://media.example:1935/live/{serialNo}?s={serialNo}').write(VALUES),
      'rtmp://media.example:1935/live/C%203%2F0%3F4%231%261?s=C%203%2F0%3F4%231%261',
    )
  })

  test('stays the same address whatever a serial number holds', () => {
    const template = parseAddressTemplate(
      'https://m.example/live/{serialNo}/index.m3u8?s={serialNo}',
    )
    const serialNo = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(serialNo, (value) => {
        fc.pre(!/^\.{1,2}$/.test(value))
        const address = new URL(template.write({ ...VALUES, serialNo: value }))
        const [, folder, step = '', file, ...more] = address.pathname.split('/')
        assert.deepEqual(
          [address.host, folder, file, more],
          ['m.example', 'live', 'index.m3u8', []],
        )
        assert.equal(decodeURIComponent(step), value.toWellFormed())
        assert.deepEqual([...address.searchParams], [['s', value.toWellFormed()]])
        assert.equal(address.hash, '')
      }),
      { numRuns: runs(5_000) },
    )
  })

  test('does not take a value that would leave the folder', () => {
    const template = parseAddressTemplate('https://m.example/live/{serialNo}/index.m3u8')

    for (const serialNo of ['.', '..', ''])
      assert.throws(() => template.write({ ...VALUES, serialNo }), /of \{serialNo\} cannot stand/)
  })

  test('is refused with the reason', () => {
    for (const [text, reason] of [
      [
        'https://m.example/{id}.m3u8',
        /the placeholder \{id\} is not known; the placeholders are \{camera\}, \{serialNo\}, \{channel\}, \{quality\}, \{grant\}, \{expires\}$/,
      ],
      ['https://m.example/{constructor}', /\{constructor\} is not known/],
      ['https://m.example/{}', /\{\} is not known/],
      ['https://m.example/live.m3u8', /is the same for all cameras: add \{camera\} to it/],
      ['https://m.example/{quality}', /is the same for all cameras/],
      ['https://{camera}.m.example/', /must begin with a scheme and a host/],
      ['https://m.example{camera}/', /must begin with a scheme and a host/],
      ['{camera}', /must begin with a scheme and a host/],
      ['//m.example/{camera}', /must begin with a scheme and a host/],
      ['https://user:secret@m.example/{camera}', /without user/],
      ['https://m.example/{camera', /has a "\{" that stands for nothing/],
      ['https://m.example/{camera}}', /has a "\}" that stands for nothing/],
      ['https://m.example/{camera}#top', /has a "#" that stands for nothing/],
      ['https://m.example/{camera} x', /has a " " that stands for nothing/],
      ['https://m.example/%zz/{camera}', /has a "%" that stands for nothing/],
      ['https://m.example/%ff/{camera}', /the address is not valid/],
      ['https://m.example:99999/{camera}', /the address is not valid/],
    ] as const)
      assert.throws(() => parseAddressTemplate(text), reason, text)
  })

  test('is never shown, since it may have a secret', () => {
    assert.throws(
      () => parseAddressTemplate('https://user:secret@m.example/{camera}'),
      ({ message }: Error) => !message.includes('secret'),
    )
  })
})
