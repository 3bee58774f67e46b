import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import {
  keyframe,
  mux,
  muxFrame,
  slice,
  spsOf,
  PPS,
  tables,
  framesOf,
  type TestFrame,
} from './_mux.ts'
import { FrameReader, nalUnitsOf, type Frame } from './frame-reader.ts'
import { TICKS_PER_SECOND } from './mpegts.ts'

const readAll = (portions: Iterable<Buffer>): Frame[] => {
  const reader = new FrameReader()
  return Array.from(portions, (portion) => [...reader.push(portion)]).flat()
}

/** A last frame is whole when the next one begins. */
const readFrames = (frames: readonly TestFrame[]): Frame[] =>
  readAll([mux([...frames, { seconds: (frames.at(-1)?.seconds ?? 0) + 1 }])])

const anyFrame = fc.record({
  isKey: fc.boolean(),
  nalUnits: fc.array(
    fc.integer({ min: 1, max: 900 }).map((bytes) => slice(bytes)),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
})

const anyFrames = fc
  .array(anyFrame, { minLength: 1, maxLength: 12 })
  .map((frames) => frames.map((frame, at) => ({ ...frame, seconds: at / 25 })))

/** The same bytes in other portions. */
function* divide(bytes: Buffer, lengths: readonly number[]): Generator<Buffer> {
  let at = 0
  for (const length of lengths) yield bytes.subarray(at, (at += length))
  yield bytes.subarray(at)
}

test('a frame has its times, whether it is a keyframe, and what it was made of', () => {
  const units = [spsOf(77), PPS, slice(5_000, { isKey: true })]

  const [frame] = readFrames([{ seconds: 3, isKey: true, shownAfterSeconds: 0.5, nalUnits: units }])

  assert.deepEqual(
    [frame?.decodeTime, frame?.shownAfter, frame?.isKey, frame?.stream.type],
    [3 * TICKS_PER_SECOND, TICKS_PER_SECOND / 2, true, 0x1b],
  )
  assert.deepEqual(frame && nalUnitsOf(frame), units)
  assert.deepEqual(frame?.tables, tables())
})

test('frames are the same in whatever portions their bytes arrive', () => {
  fc.assert(
    fc.property(anyFrames, fc.array(fc.integer({ min: 0, max: 700 })), (frames, lengths) => {
      const bytes = mux(frames)

      const read = readAll(divide(bytes, lengths))

      assert.deepEqual(read, readAll([bytes]))
      assert.deepEqual(
        Buffer.concat([tables(), ...read.map(({ bytes }) => bytes), muxFrame(frames.at(-1)!)]),
        bytes,
      )
    }),
    { numRuns: runs(500) },
  )
})

test('time stamps that begin again go on', () => {
  const wrap = 2 ** 33 / TICKS_PER_SECOND

  const times = readFrames([{ seconds: wrap - 1 }, { seconds: wrap }, { seconds: wrap + 1 }]).map(
    ({ decodeTime }) => decodeTime,
  )

  assert.deepEqual(
    times.map((time) => time - 2 ** 33),
    [-TICKS_PER_SECOND, 0, TICKS_PER_SECOND],
  )
})

test('garbage and cut packets give no error, and whole frames behind them are found', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 3_000 }),
      fc.array(fc.tuple(fc.nat(4_000), fc.nat(255))),
      (garbage, changes) => {
        const damaged = mux(framesOf(20, 5))
        for (const [at, byte] of changes) if (at < damaged.length) damaged[at] = byte
        const good = mux(framesOf(6, 2))

        const frames = readAll([Buffer.from(garbage), damaged, good, good, good])

        for (const frame of frames) nalUnitsOf(frame)
        assert.ok(frames.length >= 6)
      },
    ),
    { numRuns: runs(1_000) },
  )
})

test('a frame that never ends is forgotten', () => {
  const reader = new FrameReader()
  const [start, portion] = [mux([keyframe(0)]), muxFrame({ seconds: 1, nalUnits: [slice(1e6)] })]
  const withoutStart = portion.subarray(188)

  const before = Array.from({ length: 20 }, (_, at) => [
    ...reader.push(at === 0 ? start : withoutStart),
  ])
  const after = [...reader.push(mux([keyframe(2), keyframe(3)]))]

  assert.deepEqual([before.flat().length, after.length], [0, 1])
})
