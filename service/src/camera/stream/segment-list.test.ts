import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { SegmentList } from './segment-list.ts'

const newList = (options: Partial<ConstructorParameters<typeof SegmentList>[0]> = {}) =>
  new SegmentList({
    firstNumber: 100,
    targetSeconds: 4,
    listed: 3,
    kept: 2,
    mostBytes: 1_000,
    ...options,
  })

const segment = (seconds = 2, { bytes = 10, isDiscontinuity = false } = {}) => ({
  bytes: Buffer.alloc(bytes),
  seconds,
  isDiscontinuity,
})

describe('a playlist', () => {
  test('does not exist before the first segment', () => {
    assert.equal(newList().playlist(), undefined)
  })

  test('lists the newest segments, and says where times begin again', () => {
    const list = newList()
    for (const seconds of [1, 2, 2.04]) list.add(segment(seconds))
    list.add(segment(2, { isDiscontinuity: true }))

    assert.equal(
      list.playlist(),
      `#EXTM3U
#EXT-X-VERSION:3
#EXT-X-TARGETDURATION:4
#EXT-X-MEDIA-SEQUENCE:101
#EXT-X-DISCONTINUITY-SEQUENCE:0
#EXTINF:2.000,
101.ts
#EXTINF:2.040,
102.ts
#EXT-X-DISCONTINUITY
#EXTINF:2.000,
103.ts
`,
    )
  })

  test('counts the discontinuities that it has no longer', () => {
    const list = newList()
    list.add(segment(2, { isDiscontinuity: true }))
    for (let count = 0; count < 9; count++) list.add(segment())

    assert.match(list.playlist() ?? '', /^#EXT-X-DISCONTINUITY-SEQUENCE:1$/m)
  })

  test('never says a target duration below a segment that it had', () => {
    const list = newList()
    list.add(segment(7.2))
    for (let count = 0; count < 9; count++) list.add(segment())

    assert.match(list.playlist() ?? '', /^#EXT-X-TARGETDURATION:8$/m)
  })
})

describe('segments', () => {
  test('are kept for slow clients when they are no longer listed', () => {
    const list = newList()
    for (let count = 0; count < 6; count++) list.add(segment(2, { bytes: 10 + count }))

    assert.equal(list.find('100.ts'), undefined)
    assert.equal(list.find('101.ts')?.length, 11)
    assert.doesNotMatch(list.playlist() ?? '', /101\.ts/)
  })

  test('are found by their exact name only', () => {
    const list = newList()
    list.add(segment())

    for (const name of ['100', '0100.ts', '../100.ts', '100.ts/', '100.TS', '', '1e2.ts'])
      assert.equal(list.find(name), undefined, name)
    assert.equal(list.find('100.ts')?.length, 10)
  })

  test('that are forgotten leave their numbers behind', () => {
    const list = newList()
    list.add(segment(2, { isDiscontinuity: true }))
    list.clear()
    list.add(segment())

    assert.deepEqual([list.bytes, list.nextNumber], [10, 102])
    assert.match(list.playlist() ?? '', /SEQUENCE:101\n.*SEQUENCE:1\n#EXTINF:2.000,\n101\.ts/)
  })

  test('are dropped beyond the limit of bytes, all but the newest', () => {
    const list = newList()
    for (let count = 0; count < 4; count++) list.add(segment(2, { bytes: 400 }))
    const before = list.bytes
    list.add(segment(2, { bytes: 5_000 }))

    assert.deepEqual([before, list.bytes], [800, 5_000])
  })
})

/** The numbers by which a client aligns playlists, and where each segment is in the stream. */
function readPlaylist(text: string) {
  const number = (tag: string): number =>
    Number(new RegExp(`^#EXT-X-${tag}:(\\d+)$`, 'm').exec(text)?.[1])
  let discontinuity = number('DISCONTINUITY-SEQUENCE')
  const segments = new Map<string, { discontinuity: number; at: number }>()
  for (const line of text.split('\n'))
    if (line === '#EXT-X-DISCONTINUITY') discontinuity++
    else if (/^[^#]/.test(line))
      segments.set(line, { discontinuity, at: number('MEDIA-SEQUENCE') + segments.size })
  return segments
}

test('a segment has the same place in every playlist that lists it', () => {
  const step = fc.oneof(
    { weight: 9, arbitrary: fc.record({ isDiscontinuity: fc.boolean(), bytes: fc.nat(400) }) },
    { weight: 1, arbitrary: fc.constant('clear' as const) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const list = newList()
      const places = new Map<string, unknown>()
      for (const step of steps) {
        if (step === 'clear') list.clear()
        else list.add(segment(2, step))
        for (const [name, place] of readPlaylist(list.playlist() ?? '')) {
          assert.deepEqual(places.get(name) ?? place, place)
          assert.ok(list.find(name))
          places.set(name, place)
        }
      }
    }),
    { numRuns: runs(1_000) },
  )
})
