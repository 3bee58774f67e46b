import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { parseSource } from '../parse-source.ts'
import { uriOnHost } from './camera-uris.ts'
import { playableSdp } from './playable-sdp.ts'

const source = parseSource('rtsp://admin:secret@cam.example:8554/live')
assert.ok(source.scheme !== 'file')

const BASE = 'rtsp://cam.example:8554/live'

const read = (lines: readonly string[], base = BASE) =>
  playableSdp(lines.join('\r\n'), base, (uri) => uriOnHost(source, uri))

const VIDEO = ['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000']

describe('playableSdp', () => {
  test('leaves the first video that is played, and what its decoder needs', () => {
    const { text } = read(
      `v=0
      o=- 1 1 IN IP4 10.9.8.7
      s=Bridge
      c=IN IP4 10.9.8.7
      a=source-filter:x
      m=audio 0 RTP/AVP 0
      a=control:track1
      m=application 0 RTP/AVP 107
      m=video 0 RTP/AVP 97
      a=rtpmap:97 X-QT/90000
      m=video 5004 RTP/AVP 98
      c=IN IP4 239.1.1.1
      b=AS:500
      a=rtpmap:98 h265/90000
      a=fmtp:98 sprop-vps=QAE=
      a=pgmpu:data:x
      a=framerate:12.5
      a=control:track2
      m=video 0 RTP/AVP 96
      a=rtpmap:96 H264/90000`.split(/\n */),
    )

    const expected = `v=0
      o=- 0 0 IN IP4 127.0.0.1
      s=-
      t=0 0
      m=video 0 RTP/AVP 98
      c=IN IP4 0.0.0.0
      a=rtpmap:98 h265/90000
      a=fmtp:98 sprop-vps=QAE=
      a=framerate:12.5
      a=control:0
      `
    assert.deepEqual(text.split('\r\n'), expected.split(/\n */))
  })

  test('appends relative controls, as players do, and keeps questions in paths', () => {
    const base = `${BASE}?channel=1`
    for (const [session, control, aggregate, track] of [
      ['*', 'trackID=1', base, `${base}/trackID=1`],
      ['', '', base, base],
      ['whole', 'track?a=b', `${base}/whole`, `${base}/whole/track?a=b`],
      [`rtsp://10.9.8.7/x/`, 'y', 'rtsp://cam.example:8554/x/', 'rtsp://cam.example:8554/x/y'],
      ['*', 'RTSP://10.9.8.7:99/y?z', base, 'rtsp://cam.example:8554/y?z'],
      ['*', 'rtsp://10.9.8.7', base, 'rtsp://cam.example:8554'],
    ] as const) {
      const sdp = read(['v=0', `a=control:${session}`, ...VIDEO, `a=control:${control}`], base)

      assert.deepEqual([sdp.aggregate, ...sdp.tracks], [aggregate, track])
    }
  })

  test('refuses controls of another kind, and video that is encrypted', () => {
    for (const control of ['http://10.9.8.7/', 'file:///etc/passwd', 'a b', 'é'])
      assert.throws(() => read([...VIDEO, `a=control:${control}`]), /in an unknown way/)
    assert.throws(
      () => read(['m=video 0 RTP/SAVP 96', 'a=rtpmap:96 H264/90000']),
      /no video in H\.264/,
    )
    assert.throws(() => read(['m=video 0 RTP/AVP 97', 'a=rtpmap:96 H264/90000']), /no video in/)
  })

  test('nothing of a camera is in it but attributes of its video', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(...VIDEO, 'm=audio 0 RTP/AVP 0', 'a=control:rtsp://10.9.8.7/', 'a=fmtp:96 x'),
    )
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        let text = ''
        try {
          ;({ text } = read([...lines, ...VIDEO]))
        } catch (error) {
          assert.match(String(error), /^SourceError: The camera/)
          return
        }
        for (const one of text.split('\r\n').slice(6, -2))
          assert.match(one, /^a=(rtpmap|fmtp|framerate|framesize|cliprect|x-dimensions):\P{Cc}*$/iu)
      }),
      { numRuns: runs(1_000) },
    )
  })
})
