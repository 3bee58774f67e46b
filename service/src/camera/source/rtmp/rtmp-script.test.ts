import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { rtmpScript } from './rtmp-script.ts'

const script = (path: string, host = 'cam.example') =>
  rtmpScript({ scheme: 'rtmp', host, port: 1935, path }, 40_000)

/** Reads a script as ffmpeg does: words, with quotes and backslashes. */
const read = (text: string) =>
  new Map(
    text.split('\n').flatMap((line): [string, string][] => {
      const [, key = '', value = ''] = /^(?:option )?(\w+) (.*)$/.exec(line) ?? []
      const plain = value.replaceAll(/'([^']*)'|\\(.)/g, (_, quoted, escaped) => quoted ?? escaped)
      return [[key, plain]]
    }),
  )

describe('rtmpScript', () => {
  test('names the application and the stream as players do', () => {
    for (const [path, application, name] of [
      ['/live/name', 'live', 'name'],
      ['/live/name?key=a/b', 'live', 'name?key=a/b'],
      ['/live/instance/name', 'live/instance', 'name'],
      ['/a/b/c/d', 'a/b', 'c/d'],
      ["/live/o'clock\\", 'live', "o'clock\\"],
    ] as const) {
      const found = read(script(path))

      assert.equal(found.get('rtmp_app'), application)
      assert.equal(found.get('rtmp_playpath'), name)
      assert.equal(found.get('rtmp_tcurl'), `rtmp://cam.example:1935/${application}`)
      assert.equal(found.get('file'), 'rtmp://127.0.0.1:40000')
    }
    assert.match(script('/live/name', '2001:db8::1'), /'rtmp:\/\/\[2001:db8::1\]:1935\/live'/)
  })

  test('a path without a name of a stream is refused', () => {
    for (const path of ['/', '/live', '/live/', '/live?key=1/2', '//name'])
      assert.throws(() => script(path), /^SourceError: A source of rtmp has an application/, path)
  })

  test('no path writes a line of its own', () => {
    const part = fc
      .stringMatching(/^[\x21-\x3e\x40-\x7e]+$/)
      .map((text) => text.replaceAll('/', '_'))
    fc.assert(
      fc.property(part, part, (application, name) => {
        const text = script(`/${application}/${name}`)

        assert.equal(text.split('\n').length, script('/live/name').split('\n').length)
        assert.equal(read(text).get('rtmp_app'), application)
        assert.equal(read(text).get('rtmp_playpath'), name)
      }),
      { numRuns: runs(2_000) },
    )
  })
})
