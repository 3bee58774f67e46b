import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { chunkSamples, joinSamples, chunkOf } from './sample-chunks.ts'

const singles = fc.float32Array({ maxLength: 2_000 }).map((samples) => new Float64Array(samples))
const doubles = fc.float64Array({ maxLength: 2_000, noNaN: true })
const waveforms = fc.oneof(singles, doubles)

test('a waveform that was cut is put together as it was', () => {
  fc.assert(
    fc.property(waveforms, (samples) => {
      const cut = chunkSamples(samples)

      assert.deepEqual(joinSamples(cut), samples)
    }),
  )
})

test('the pieces hold whole samples, every byte once, each with its checksum', () => {
  fc.assert(
    fc.property(waveforms, (samples) => {
      const cut = chunkSamples(samples)

      const pieces = Array.from(cut.checksums, (_, at) => chunkOf(cut, at))
      assert.deepEqual(Buffer.concat(pieces), Buffer.from(cut.bytes))
      for (const [at, piece] of pieces.entries()) {
        assert.ok(piece.length > 0 && piece.length % cut.sampleBytes === 0)
        assert.equal(crc32(piece), cut.checksums[at])
      }
    }),
  )
})

test('single precision is taken exactly where it holds every sample', () => {
  assert.equal(chunkSamples(Float64Array.of(0.5, -0, 3)).sampleBytes, 4)
  assert.equal(chunkSamples(Float64Array.of(0.5, 0.1)).sampleBytes, 8)
  assert.equal(chunkSamples(Float64Array.of(1e300)).sampleBytes, 8)
})
