import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { asFrames, framesOf, keyframe, mux, slice, spsOf, tables, type TestFrame } from './_mux.ts'
import { FrameReader } from './frame-reader.ts'
import { Segmenter, type Segment, type SegmentLimits } from './segmenter.ts'

const LIMITS: SegmentLimits = {
  seconds: 2,
  firstSeconds: 1,
  longestSeconds: 8,
  mostBytes: 1_000_000,
}

function segmentsOf(frames: readonly TestFrame[], limits: Partial<SegmentLimits> = {}): Segment[] {
  const segmenter = new Segmenter({ ...LIMITS, ...limits })
  const segments = asFrames(frames).map((frame) => segmenter.push(frame))
  return [...segments, segmenter.finish()].filter((segment) => segment !== undefined)
}

const secondsOf = (segments: readonly Segment[]): number[] => segments.map(({ seconds }) => seconds)

/** The frames that a segment has when it is read by itself. */
function framesIn({ bytes }: Segment) {
  const reader = new FrameReader()
  return [...reader.push(Buffer.concat([bytes, mux([{ seconds: 0 }])]))]
}

describe('segments', () => {
  test('begin with tables and end at keyframes', () => {
    const segments = segmentsOf(framesOf(12, 2))

    assert.deepEqual(secondsOf(segments), [1, 1, 2, 2, 2, 2, 2])
    for (const segment of segments.slice(2)) {
      assert.deepEqual(segment.bytes.subarray(0, 376), tables())
      assert.equal(framesIn(segment)[0]?.isKey, true)
    }
  })

  test('end at a keyframe that comes a little early', () => {
    const frames = [0, 1, 2.95, 4.9, 6.85].map((seconds) => keyframe(seconds))

    const segments = segmentsOf(frames)

    assert.deepEqual(secondsOf(segments).slice(0, 4), [1, 1.95, 1.95, 1.95])
  })

  test('begin at the first keyframe: nothing before it can be seen', () => {
    const frames = [{ seconds: 0 }, { seconds: 1 }, keyframe(2), { seconds: 3 }]

    const [first, ...rest] = segmentsOf(frames, { firstSeconds: 3 })

    assert.deepEqual(first && framesIn(first).map(({ isKey }) => isKey), [true, false])
    assert.deepEqual(rest, [])
  })

  test('are 8 s at most where keyframes are rare, and a keyframe ends one that began without', () => {
    const segments = segmentsOf(framesOf(41, 20))

    assert.deepEqual(secondsOf(segments), [1, 8, 8, 3, 8, 8, 4, 1])
  })

  test('have no more bytes than the limit, if they have more than one frame', () => {
    const frames = [1, 2, 3, 4].map((seconds) => keyframe(seconds / 10, 30_000))

    const segments = segmentsOf(frames, { mostBytes: 70_000 })

    assert.deepEqual(
      segments.map((segment) => framesIn(segment).length),
      [2, 2],
    )
  })

  test('follow a discontinuity where times jump, and none where they begin again', () => {
    const wrap = 2 ** 33 / 90_000
    const frames = [100, 101, 3, 4, 9_000, 9_001].map((seconds) => ({ seconds }))
    const over = [-1, 0, 1].map((seconds) => ({ seconds: wrap + seconds, isKey: true }))

    const jumped = segmentsOf([keyframe(99), ...frames], { firstSeconds: 8 })
    const wrapped = new Segmenter({ ...LIMITS, firstSeconds: 8 })
    const read = [...new FrameReader().push(mux(over))].map((frame) => wrapped.push(frame))

    assert.deepEqual(
      jumped.map(({ isDiscontinuity, seconds }) => [isDiscontinuity, seconds]),
      [
        [false, 3],
        [true, 2],
        [true, 2],
      ],
    )
    assert.deepEqual(read, [undefined, undefined])
  })

  test('follow a discontinuity where the resolution changes, at once', () => {
    const [small, large] = [spsOf(100, 1), spsOf(100, 2)]
    const frames = [keyframe(0, 9, small), keyframe(1, 9, large), keyframe(2, 9, large)]

    const segments = segmentsOf(frames, { firstSeconds: 8 })

    assert.deepEqual(
      segments.map(({ isDiscontinuity, seconds }) => [isDiscontinuity, seconds]),
      [
        [false, 1],
        [true, 2],
      ],
    )
  })
})

const anyFrames = fc
  .array(
    fc.record({
      after: fc.oneof(fc.double({ min: 0, max: 2, noNaN: true }), fc.constantFrom(-50, 30, 8, 9)),
      isKey: fc.boolean(),
      nalUnits: fc.integer({ min: 1, max: 3_000 }).map((bytes) => [slice(bytes)]),
    }),
    { maxLength: 60 },
  )
  .map((steps) => {
    let seconds = 1_000
    return steps.map(({ after, ...frame }) => ({ ...frame, seconds: (seconds += after) }))
  })

test('segments together are the frames from the first keyframe on, each of a sane length', () => {
  fc.assert(
    fc.property(anyFrames, (frames) => {
      const mostBytes = 5_000

      const segments = segmentsOf(frames, { mostBytes })

      const withoutTables = segments.map(({ bytes }) => bytes.subarray(376))
      const first = frames.findIndex(({ isKey }) => isKey)
      const expected = first === -1 ? [] : asFrames(frames.slice(first))
      assert.deepEqual(
        Buffer.concat(withoutTables),
        Buffer.concat(expected.map(({ bytes }) => bytes)),
      )
      for (const segment of segments) {
        assert.ok(segment.seconds >= 0 && segment.seconds <= 8, `${segment.seconds} s`)
        const isOneFrame = framesIn(segment).length === 1
        assert.ok(isOneFrame || segment.bytes.length - 376 <= mostBytes)
      }
    }),
    { numRuns: runs(1_000) },
  )
})
