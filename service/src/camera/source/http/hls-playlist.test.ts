import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '../../../../test/_growth.ts'
import { runs } from '../../../../test/_random.ts'
import { parsePlaylist } from './hls-playlist.ts'
import { segmentsAfter } from './hls-stream.ts'

const uri = fc
  .string({ unit: 'binary-ascii', minLength: 1, maxLength: 20 })
  .map((text) => text.replaceAll(/[^\x21-\x7e]/g, '_').replace(/^#/, '_'))
const range = fc.option(
  fc.record(
    { start: fc.nat(1e9), length: fc.integer({ min: 1, max: 1e9 }) },
    { noNullPrototype: true },
  ),
  { nil: undefined },
)
const segment = fc.record(
  { uri, range, seconds: fc.integer({ min: 0, max: 10 }) },
  { noNullPrototype: true },
)

describe('parsePlaylist', () => {
  test('reads the segments that an independent writer writes, between tags that it does not know', () => {
    const noise = fc.constantFrom('', '\n', '# comment\n', '#EXT-X-PROGRAM-DATE-TIME:2026-01-01\n')
    const first = fc.nat(Number.MAX_SAFE_INTEGER - 100)
    fc.assert(
      fc.property(first, fc.array(fc.tuple(noise, segment), { maxLength: 20 }), (first, all) => {
        const lines = all.map(([noise, { uri, range, seconds }]) => {
          const part = range && `#EXT-X-BYTERANGE:${range.length}@${range.start}\n`
          return `${noise}#EXTINF:${seconds}.0,title\n${part ?? ''}${uri}\r\n`
        })

        const playlist = parsePlaylist(
          `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-MEDIA-SEQUENCE:${first}\n${lines.join('')}`,
        )

        assert.deepEqual(playlist, {
          kind: 'media',
          targetSeconds: 10,
          segments: all.map(([, one], at) => ({ ...one, number: first + at, map: undefined })),
          hasEnded: false,
        })
      }),
      { numRuns: runs(1_000) },
    )
  })

  test('reads maps, ranges that follow each other, gaps and the end', () => {
    const playlist = parsePlaylist(`\ufeff#EXTM3U
      #EXT-X-TARGETDURATION:2
      #EXT-X-KEY:METHOD=NONE
      #EXT-X-MAP:URI="init,a=b.mp4",BYTERANGE="100@0"
      #EXTINF:2,
      #EXT-X-BYTERANGE:50@100
      all.mp4
      #EXTINF:2
      #EXT-X-BYTERANGE:60
      all.mp4
      #EXT-X-GAP
      #EXTINF:2,
      gone.mp4
      #EXT-X-DISCONTINUITY
      #EXTINF:1.5,
      next.mp4
      #EXT-X-ENDLIST`)

    const map = { uri: 'init,a=b.mp4', range: { start: 0, length: 100 } }
    assert.deepEqual(playlist, {
      kind: 'media',
      targetSeconds: 2,
      segments: [
        { uri: 'all.mp4', range: { start: 100, length: 50 }, number: 0, seconds: 2, map },
        { uri: 'all.mp4', range: { start: 150, length: 60 }, number: 1, seconds: 2, map },
        { uri: 'next.mp4', range: undefined, number: 3, seconds: 1.5, map },
      ],
      hasEnded: true,
    })
  })

  test('reads the streams to choose from', () => {
    assert.deepEqual(
      parsePlaylist(`#EXTM3U
        #EXT-X-STREAM-INF:PROGRAM-ID=1,CODECS="avc1,BANDWIDTH=9",BANDWIDTH=100
        low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=2000,RESOLUTION=1x1
        # comment
        high.m3u8?a=b`),
      {
        kind: 'master',
        variants: [
          { uri: 'low.m3u8', bandwidth: 100 },
          { uri: 'high.m3u8?a=b', bandwidth: 2000 },
        ],
      },
    )
  })

  test('what cannot be played is named', () => {
    const media = '#EXTM3U\n#EXT-X-TARGETDURATION:2\n'
    for (const [text, sentence] of [
      ['<html>', /sent no playlist of HLS\.$/],
      ['', /sent no playlist/],
      ['#EXTM3U', /should have a target duration of 1 to 60 seconds\.$/],
      ['#EXTM3U\n#EXT-X-TARGETDURATION:1e9', /a target duration/],
      [`${media}#EXT-X-KEY:METHOD=AES-128,URI="k"`, /is encrypted, which is not played\.$/],
      [`${media}#EXTINF:1e9,\na`, /segments of up to 2 minutes/],
      [`${media}#EXT-X-MEDIA-SEQUENCE:-5\na`, /a number of segments/],
      [`${media}#EXT-X-MEDIA-SEQUENCE:9e99\na`, /a number of segments/],
      [`${media}#EXT-X-BYTERANGE:x\na`, /ranges of bytes/],
      [`${media}#EXT-X-BYTERANGE:0@5\na`, /ranges of bytes/],
      [`${media}#EXT-X-MAP:X=1\na`, /a map with an address/],
    ] as const)
      assert.throws(() => parsePlaylist(text), { name: 'SourceError', message: sentence }, text)
  })

  test('reads any text, or names what is wrong, in time that grows with its length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          parsePlaylist(`#EXTM3U\n#EXT-X-TARGETDURATION:1\n${text}`)
        } catch (error) {
          assert.match(String(error), /^SourceError/)
        }
      }),
    )
    const head = '#EXTM3U\n#EXT-X-TARGETDURATION:1\n'
    assertLinear(
      {
        segments: (size) => `${head}${'#EXTINF:1,\na\n'.repeat(size)}`,
        attributes: (size) => `${head}#EXT-X-STREAM-INF:${'A=,'.repeat(size)}\na`,
        quotes: (size) => `${head}#EXT-X-MAP:${'A="'.repeat(size)}\na`,
        blanks: (size) => `${head}${' \n'.repeat(size)}#EXT-X-MAP:URI=${' '.repeat(size)}\na`,
      },
      (text: string) => parsePlaylist(text),
    )
  })
})

/** Segments with numbers that follow each other. */
const segmentsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    uri: 'a',
    range: undefined,
    number: first + at,
    seconds: 1,
    map: undefined,
  }))

const numbers = (last: number | undefined, first: number, count: number) =>
  segmentsAfter(last, segmentsFrom(first, count)).map(({ number }) => number)

describe('segmentsAfter', () => {
  test('begins shortly before the end, and goes on with what is new', () => {
    assert.deepEqual(numbers(undefined, 5, 6), [8, 9, 10])
    assert.deepEqual(numbers(undefined, 5, 1), [5])
    assert.deepEqual(numbers(10, 5, 6), [])
    assert.deepEqual(numbers(10, 7, 6), [11, 12])
    assert.deepEqual(numbers(10, 20, 2), [20, 21])
    assert.deepEqual(numbers(3, 0, 0), [])
  })

  test('begins anew where a camera counts from the beginning again, or is far ahead', () => {
    assert.deepEqual(numbers(1_000, 0, 5), [2, 3, 4])
    assert.deepEqual(numbers(10, 5, 100), [102, 103, 104])
  })

  test('gives no segment twice while a camera counts on', () => {
    const steps = fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(steps, (steps) => {
        let [first, end] = [0, 0]
        let last: number | undefined
        for (const [dropped, added] of steps) {
          end += added
          first = Math.min(first + dropped, end)
          for (const { number } of segmentsAfter(last, segmentsFrom(first, end - first))) {
            assert.ok(last === undefined || number > last)
            last = number
          }
        }
      }),
      { numRuns: runs(1_000) },
    )
  })
})
