import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { readWaveforms } from './read-waveforms.ts'
import type { WaveformFormat } from '@plumbline/contract'
import { HIGHEST_SAMPLE_HZ, type WaveformOptions } from './waveform.ts'

type Reading = WaveformOptions & { format: WaveformFormat }

/** Steim-2 makes 28 bytes of samples of four, an ASCII digit with its line end eight of two. */
const MOST_BYTES_PER_BYTE = 8

/** Fails unless the bytes are refused by a sentence, or read as waveforms no larger than they. */
export function assertRefusedOrRead(bytes: Uint8Array, options: Reading): void {
  try {
    let room = 0
    for (const { samples, sampleHz } of readWaveforms(bytes, options)) {
      room += samples.byteLength
      assert.ok(samples.length > 0 && samples.every(Number.isFinite))
      assert.ok(sampleHz > 0 && sampleHz <= HIGHEST_SAMPLE_HZ)
    }
    assert.ok(room <= MOST_BYTES_PER_BYTE * bytes.length, `${room} of ${bytes.length}`)
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    assert.equal(error.reason, 'invalid')
    assert.match(error.message, /\S+ \S+/)
  }
}

/** Tries a file cut anywhere, and with some bytes changed; `most` is how far in, from its start. */
export function assertDamageIsRefusedOrRead(
  whole: Uint8Array,
  options: Reading,
  { runs: deep = 300, most = whole.length } = {},
): void {
  const place = fc.nat({ max: Math.min(most, whole.length) - 1 })
  fc.assert(
    fc.property(place, (length) => assertRefusedOrRead(whole.subarray(0, length), options)),
    { numRuns: runs(deep) },
  )
  const change = fc.tuple(place, fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0x20, 0x2d, 0x39)))
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const bytes = whole.slice()
      for (const [at, byte] of changes) bytes[at] = byte
      assertRefusedOrRead(bytes, options)
    }),
    { numRuns: runs(deep) },
  )
}

/** A matcher of `assert.throws`: refused as invalid, with a message like this. */
export const refusal =
  (message: RegExp) =>
  (error: unknown): true => {
    assert.ok(error instanceof RefusedError, String(error))
    assert.equal(error.reason, 'invalid')
    assert.match(error.message, message)
    return true
  }
