import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { chunkSamples, joinSamples, chunkOf } from './sample-chunks.ts'

const singles = fc.float32Array({ maxLength: 2_000 }).map((samples) => new Float64Array(samples))
const doubles = fc.float64Array({ maxLength: 2_000, noNaN: true })
const waveforms = fc.oneof(singles, doubles)

test('a waveform divided into chunks is joined again exactly', () => {
  fc.assert(
    fc.property(waveforms, (samples) => {
      const cut = chunkSamples(samples)

      assert.deepEqual(joinSamples(cut), samples)
    }),
  )
})

test('the chunks hold whole samples and every byte once, each with its checksum', () => {
  fc.assert(
    fc.property(waveforms, (samples) => {
      const cut = chunkSamples(samples)

      const chunks = Array.from(cut.checksums, (_, at) => chunkOf(cut, at))
      assert.deepEqual(Buffer.concat(chunks), Buffer.from(cut.bytes))
      for (const [at, chunk] of chunks.entries()) {
        assert.ok(chunk.length > 0 && chunk.length % cut.sampleBytes === 0)
        assert.equal(crc32(chunk), cut.checksums[at])
      }
    }),
  )
})

test('single precision is used only where it represents every sample exactly', () => {
  assert.equal(chunkSamples(Float64Array.of(0.5, -0, 3)).sampleBytes, 4)
  assert.equal(chunkSamples(Float64Array.of(0.5, 0.1)).sampleBytes, 8)
  assert.equal(chunkSamples(Float64Array.of(1e300)).sampleBytes, 8)
})
