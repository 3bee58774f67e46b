import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { FixedNumbers } from '../../encodings/fixed-numbers.ts'
import { PointTexts } from './point-texts.ts'
import { writeFft, writeRaw } from './waveform-text.ts'

const points = new PointTexts()
after(() => points[Symbol.asyncDispose]())

const finite = { noNaN: true, noDefaultInfinity: true } as const
const sample = fc.oneof(
  fc.double(finite),
  fc.float(finite),
  fc.double({ ...finite, min: -1, max: 1 }).map(Math.fround),
  fc.integer({ min: -32_768, max: 32_767 }),
)
const config = fc.record({
  unit: fc.string(),
  sampleFreq: fc.double({ ...finite, min: 0.01, max: 1e7 }).map(String),
})

const textOf = async (chunks: AsyncIterable<Uint8Array>) =>
  Buffer.concat(await Array.fromAsync(chunks)).toString()

async function* cut(samples: readonly number[], width: number) {
  for (let at = 0; at < samples.length; at += width)
    yield Float64Array.from(samples.slice(at, at + width))
}

test('a waveform is written as the plain JSON of its texts, in chunks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      config,
      fc.array(sample, { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 1, max: 8_000 }),
      fc.integer({ min: 1, max: 50_000 }),
      async (given, some, times, width) => {
        const samples = Array.from({ length: times }, () => some).flat()
        const header = { ...given, count: samples.length }

        const text = await textOf(writeRaw(points, header, cut(samples, width)))

        const { unit, sampleFreq, count } = header
        const data = samples.map((one, at) => ({ value: String(one), time: String(at + 1) }))
        assert.equal(text, JSON.stringify({ config: { unit, sampleFreq, count }, data }))
      },
    ),
    { numRuns: runs(60) },
  )
})

test('a spectrum is written as the plain JSON of its texts', async () => {
  await fc.assert(
    fc.asyncProperty(
      config,
      fc.array(sample, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 8_000 }),
      async (given, some, times) => {
        const amplitude = Array.from({ length: times }, () => some).flat()
        const count = 2 * amplitude.length - 1

        const text = await textOf(
          writeFft(points, { ...given, count }, new FixedNumbers(Float64Array.from(amplitude))),
        )

        const { unit, sampleFreq } = given
        const data = amplitude.map((one, k) => ({
          value: String(one),
          frequency: String((k * Number(sampleFreq)) / count),
        }))
        assert.equal(text, JSON.stringify({ config: { unit, sampleFreq, count }, data }))
      },
    ),
    { numRuns: runs(60) },
  )
})
