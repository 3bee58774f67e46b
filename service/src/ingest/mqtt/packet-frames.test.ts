import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { generate } from 'mqtt-packet'
import { PacketFrames, type Frame } from './packet-frames.ts'

/** What is read of chunks that come one after the other: each frame with its place in the stream. */
function readAll(chunks: readonly Uint8Array[]): { at: number; frame: Frame }[] {
  const frames = new PacketFrames()
  const found: { at: number; frame: Frame }[] = []
  let before = 0
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const read = frames.read(chunk, at)
      at = read.at
      if (read.frame !== undefined) found.push({ at: before + at, frame: read.frame })
      if (read.frame?.kind === 'malformed') return found
      // A packet without a body ends where it begins, without another byte.
      if (read.frame?.kind === 'begin' && read.frame.length === 0) {
        const end = frames.read(chunk, at)
        found.push({ at: before + end.at, frame: end.frame! })
      }
    }
    before += chunk.length
  }
  return found
}

const cut = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted(
    (one, other) => one - other,
  )
  return sorted.slice(1).map((end, at) => bytes.subarray(sorted[at], end))
}

describe('the frames of packets', () => {
  test('begin and end where the packets do', () => {
    const message = generate({
      cmd: 'publish',
      topic: 'a',
      payload: Buffer.alloc(300),
      qos: 1,
      messageId: 7,
      dup: false,
      retain: false,
    })
    const ping = generate({ cmd: 'pingreq' })

    const found = readAll([Buffer.concat([message, ping])])

    assert.deepEqual(found, [
      { at: 3, frame: { kind: 'begin', type: 3, length: message.length - 3 } },
      { at: message.length, frame: { kind: 'end' } },
      { at: message.length + 2, frame: { kind: 'begin', type: 12, length: 0 } },
      { at: message.length + 2, frame: { kind: 'end' } },
    ])
  })

  test('are malformed when a length has a fifth byte', () => {
    const [longest] = readAll([Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])])
    const [malformed] = readAll([Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01])])

    assert.deepEqual(longest?.frame, { kind: 'begin', type: 3, length: 268_435_455 })
    assert.deepEqual(malformed, { at: 5, frame: { kind: 'malformed' } })
  })

  test('are the same however the bytes are cut', () => {
    const bytes = fc.uint8Array({ maxLength: 300 })
    const property = fc.property(bytes, fc.array(fc.nat()), (stream, places) =>
      assert.deepEqual(readAll(cut(stream, places)), readAll([stream])),
    )
    fc.assert(property)
  })
})
