import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { assertDamageIsRefusedOrRead, refusal } from './_damage.ts'
import { join } from './_miniseed.ts'
import { latin1 } from './_test-files.ts'
import { readWaveforms } from './read-waveforms.ts'

type Kind = { tag: 1 | 3; bits: 8 | 16 | 24 | 32 | 64 }

const chunk = (tag: string, body: Uint8Array): Uint8Array => {
  const head = new Uint8Array(8)
  head.set(latin1(tag))
  new DataView(head.buffer).setUint32(4, body.length, true)
  return join([head, body, new Uint8Array(body.length % 2)])
}

const riff = (...chunks: Uint8Array[]): Uint8Array =>
  chunk('RIFF', join([latin1('WAVE'), ...chunks]))

function format({ tag, bits }: Kind, channels: number, isExtensible = false): Uint8Array {
  const body = new Uint8Array(isExtensible ? 40 : 16)
  const view = new DataView(body.buffer)
  view.setUint16(0, isExtensible ? 0xfffe : tag, true)
  view.setUint16(2, channels, true)
  view.setUint32(4, 48_000, true)
  view.setUint32(8, (48_000 * channels * bits) / 8, true)
  view.setUint16(12, (channels * bits) / 8, true)
  view.setUint16(14, bits, true)
  if (isExtensible) {
    view.setUint16(16, 22, true)
    view.setUint16(18, bits, true)
    view.setUint16(24, tag, true)
    const rest = '00000000100080 0000aa00389b71'.replace(' ', '')
    body.set(Uint8Array.from(Buffer.from(rest, 'hex')), 26)
  }
  return chunk('fmt ', body)
}

function data({ tag, bits }: Kind, samples: readonly number[]): Uint8Array {
  const body = new Uint8Array((samples.length * bits) / 8)
  const buffer = Buffer.from(body.buffer)
  samples.forEach((sample, index) => {
    const at = (index * bits) / 8
    if (tag === 3 && bits === 32) buffer.writeFloatLE(sample, at)
    else if (tag === 3) buffer.writeDoubleLE(sample, at)
    else if (bits === 8) buffer.writeUInt8(sample + 128, at)
    else buffer.writeIntLE(sample, at, bits / 8)
  })
  return chunk('data', body)
}

const whole = (bits: number) => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 })
const finite = { noNaN: true, noDefaultInfinity: true }
const KINDS: readonly (Kind & { sample: fc.Arbitrary<number> })[] = [
  { tag: 1, bits: 8, sample: whole(8) },
  { tag: 1, bits: 16, sample: whole(16) },
  { tag: 1, bits: 24, sample: whole(24) },
  { tag: 1, bits: 32, sample: whole(32) },
  { tag: 3, bits: 32, sample: fc.float(finite) },
  { tag: 3, bits: 64, sample: fc.double(finite) },
]
const PCM_16: Kind = { tag: 1, bits: 16 }

describe('WAV', () => {
  for (const kind of KINDS) {
    const name = `${kind.tag === 1 ? 'PCM' : 'float'} of ${kind.bits} bits`

    test(`gives back any samples of ${name}, of any channels, extensible or not`, () => {
      const frames = fc.integer({ min: 1, max: 4 }).chain((channels) =>
        fc.array(fc.array(kind.sample, { minLength: channels, maxLength: channels }), {
          minLength: 1,
        }),
      )
      fc.assert(
        fc.property(frames, fc.boolean(), (frames, isExtensible) => {
          const channels = frames[0]!.length
          const bytes = riff(
            format(kind, channels, isExtensible),
            chunk('LIST', latin1('odd')),
            data(kind, frames.flat()),
          )

          const found = readWaveforms(bytes)

          assert.equal(found.length, channels)
          for (const [at, { channel, samples, sampleHz, start, unit }] of found.entries()) {
            assert.deepEqual(
              [...samples],
              frames.map((frame) => frame[at]),
            )
            assert.deepEqual(
              [channel, sampleHz, start, unit],
              [`channel ${at + 1}`, 48_000, undefined, ''],
            )
          }
        }),
      )
    })

    test(`of ${name}, damaged anywhere, is refused or read`, () => {
      const bytes = riff(format(kind, 2, true), data(kind, [1, 2, 3, 4]))
      assertDamageIsRefusedOrRead(bytes, { format: 'WAV' }, { runs: 500 })
    })
  }

  test('is refused by the byte where sizes or formats cannot be true', () => {
    const sound = riff(format(PCM_16, 2), data(PCM_16, [1, 2]))
    const change = (at: number, ...values: number[]): Uint8Array => {
      const bytes = sound.slice()
      bytes.set(values, at)
      return bytes
    }
    for (const [bytes, message] of [
      [sound.subarray(0, 46), /^byte 4: RIFF announces 40 bytes, but 38 follow/],
      [join([sound, latin1('more')]), /^byte 4: RIFF announces 40 bytes, but 44 follow/],
      [change(40, 255, 255, 255, 127), /^byte 36: chunk "data" announces 2147483647 bytes, but 4/],
      [change(40, 3), /expected a multiple of 4/],
      [change(22, 0), /has 0 channels/],
      [change(22, 9), /has 9 channels of 16 bits in blocks of 4 bytes, expected 18/],
      [change(20, 2), /has format 2 of 16 bits/],
      [change(34, 12), /has format 1 of 12 bits/],
      [change(24, 0, 0, 0, 0), /sample rate is 0 Hz/],
      [change(16, 15), /chunk has 15 bytes, expected at least 16/],
      [change(20, 0xfe, 0xff), /is extensible and has 16 bytes/],
      [riff(format(PCM_16, 2), data(PCM_16, [])), /data has 0 bytes/],
      [riff(data(PCM_16, [1])), /^byte 12: data comes before the fmt chunk/],
      [riff(format(PCM_16, 1)), /^byte 36: the file ends without a data chunk/],
      [riff(), /without a fmt chunk/],
      [latin1('RIFX'), /does not begin with RIFF and WAVE/],
    ] as const) {
      assert.throws(() => readWaveforms(bytes, { format: 'WAV' }), refusal(message))
    }
  })

  test('with a value that is no number is refused by its channel', () => {
    const kind: Kind = { tag: 3, bits: 32 }
    const bytes = riff(format(kind, 2), data(kind, [1, 2, 3, Infinity]))

    assert.throws(() => readWaveforms(bytes), refusal(/^channel 2 .+ sample 2 is Infinity/))
  })
})
