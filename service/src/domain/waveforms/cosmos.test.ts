import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { assertDamageIsRefusedOrRead, refusal } from './_damage.ts'
import { latin1, testFile, textOf } from './_test-files.ts'
import { readWaveforms } from './read-waveforms.ts'

const raw = textOf(testFile('NP8040-n.1000hyfh.HNE.01.V0c.gz'))
const HEADING_LINE = 49
const headerLines = raw.split('\n').slice(0, HEADING_LINE - 1)

type Block = { quantity: string; unit: string; format: string; samples: readonly number[] }

/** The real header with other blocks of values; `reals` overrides its numbers from 1. */
function encodeCosmos(blocks: readonly Block[], reals: Record<number, number> = {}): string {
  const lines = headerLines.slice()
  const seconds = blocks[0]!.samples.length / 200
  for (const [number, value] of Object.entries({ 35: seconds, 63: seconds, ...reals })) {
    const at = 25 + Math.floor((Number(number) - 1) / 5)
    const from = 15 * ((Number(number) - 1) % 5)
    const text = value.toFixed(6).padStart(15)
    lines[at] = lines[at]!.slice(0, from) + text + lines[at]!.slice(from + 15)
  }
  for (const { quantity, unit, format, samples } of blocks) {
    const [, perLine = '1', width = '1'] = /\((\d+)\w(\d+)/.exec(format) ?? []
    lines.push(
      `${String(samples.length).padStart(8)} ${quantity} pts, approx ${Math.round(samples.length / 200)} secs, units=${unit}, Format=${format}`,
    )
    for (let at = 0; at < samples.length; at += Number(perLine)) {
      const row = samples.slice(at, at + Number(perLine))
      const print = (value: number): string =>
        format.includes('E') ? value.toExponential(6) : value.toFixed(3)
      lines.push(row.map((value) => print(value).padStart(Number(width))).join(''))
    }
  }
  return `${lines.join('\n')}\nEnd-of-data for ChanHNE\n`
}

const block = (samples: readonly number[]): Block => ({
  quantity: 'acceleration',
  unit: 'cm/sec2(04)',
  format: '(8F10.3)',
  samples,
})

describe('COSMOS', () => {
  test('volume 0: a real file is read whole, its start to the microsecond', () => {
    const [found, ...others] = readWaveforms(latin1(raw))

    assert.equal(others.length, 0)
    assert.equal(found?.channel, 'NP.8040.01.HNE')
    assert.deepEqual([found.sampleHz, found.unit, found.samples.length], [200, 'counts', 42_000])
    assert.deepEqual(found.start, {
      milliseconds: Date.UTC(2018, 10, 30, 17, 29, 6, 331),
      nanoseconds: 590_000,
    })
    // Line 11 of the header: the largest magnitude and when; and real 66: the mean.
    const mean = Array.from(found.samples).reduce((sum, sample) => sum + sample, 0) / 42_000
    assert.ok(Math.abs(mean - -160_916.794048) < 1e-5, String(mean))
    assert.equal(Math.abs(found.samples[Math.round(45.58 * 200)]!), 1_033_406)
    assert.equal(found.samples.map(Math.abs).toSorted().at(-1), 1_033_406)
  })

  test('volumes 1 and 2: blocks in any format are read, each with its unit', () => {
    const values = fc.array(
      fc.integer({ min: -999_999, max: 999_999 }).map((value) => value / 1000),
      { minLength: 1, maxLength: 100 },
    )
    fc.assert(
      fc.property(
        values,
        fc.constantFrom('(8F10.3)', '(1E15.6)', '(6E15.6)'),
        (samples, format) => {
          const velocity = { quantity: 'velocity    ', unit: 'cm/sec(05)', format, samples }
          const text = encodeCosmos([{ ...block(samples), format }, velocity])

          const found = readWaveforms(latin1(text))

          assert.deepEqual(
            found.map(({ channel, unit, samples }) => [channel, unit, [...samples]]),
            [
              ['NP.8040.01.HNE', 'cm/sec2', samples],
              ['NP.8040.01.HNE velocity', 'cm/sec', samples],
            ],
          )
        },
      ),
    )
  })

  test('has its rate of real 62 in milliseconds, or else of real 34 in seconds', () => {
    for (const [reals, sampleHz] of [
      [{ 62: 10, 34: 0.005, 63: 0.02, 35: -999 }, 100],
      [{ 62: -999, 34: 0.01, 63: 0.02 }, 100],
      [{ 62: 0.976563, 34: -999, 63: 2 / 1024 }, 1024],
    ] as const) {
      const [found] = readWaveforms(latin1(encodeCosmos([block([1, 2])], reals)))

      assert.equal(found!.sampleHz, sampleHz)
    }
  })

  test('starts by its text where its numbers do not say, or not at all', () => {
    const text = encodeCosmos([block([1, 2])], { 30: -999 })
    const milliseconds = Date.UTC(2018, 10, 30, 17, 29, 6, 332)

    const [written] = readWaveforms(latin1(text))
    const [without] = readWaveforms(latin1(text.replace('17:29:06.332', '            ')))

    assert.deepEqual(written!.start, { milliseconds, nanoseconds: 0 })
    assert.equal(without!.start, undefined)
  })

  test('names its channel by its text where no comment has it', () => {
    const [found] = readWaveforms(latin1(raw.replace('<SCNL>', '<NONE>')))

    assert.equal(found!.channel, 'Chan 1: 90 Deg')
  })

  test('holds several channels', () => {
    const text = encodeCosmos([block([1, 2])])

    assert.equal(readWaveforms(latin1(`${text}${text}\n`)).length, 2)
  })

  test('is refused by the line where counts or rates do not fit', () => {
    const text = encodeCosmos([block([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])])
    for (const [changed, message] of [
      [text.replace('      10 acc', '      11 acc'), /^line 51 has 2 numbers, expected 3/],
      [text.replace('      10 acc', '       9 acc'), /^line 51 continues with "    10\.000"/],
      [
        text.replace('      10 acc', '      30 acc'),
        /30 points are announced, but the header says 0.05 s at 200 Hz/,
      ],
      [
        text.replace(',  -999', ', -998').replace('      10 acc', '99999999 acc'),
        /99999999 points/,
      ],
      [text.replace('(8F10.3)', '(no)'), /^line 49: .+ expected such as/],
      [text.replace('(10I8)', '(10X)'), /^line 14: .+ format of the integer header/],
      [text.replace('on  20 lines', 'on  19 lines'), /on 19 lines, but fill 20/],
      [text.replace(' 100 Integer', ' 101 Integer'), /^line 25/],
      [text.replace('   2 Comment', '   3 Comment'), /begins with "\|"/],
      [text.replace('with 13', 'with 14'), /^line 15: .+ format of the integer header/],
      [text.replace('End-of-data', 'Ende'), /^line 52: "Ende .+ or "End-of-data"/],
      [
        text.slice(0, text.indexOf('End-of')),
        /ends within NP\.8040\.01\.HNE, expected "End-of-data"/,
      ],
      [encodeCosmos([block([1])], { 62: 0 }), /sample rate is Infinity Hz/],
      [encodeCosmos([block([1])], { 62: -999, 34: -999 }), /reals 62 and 34 .+ are unknown/],
      [encodeCosmos([block([1])], { 30: 99 }), /integers 40 to 45 and real 30/],
      ['Corrected', /expected "\(Format v01\.20 with 13 text lines\)"/],
    ] as const) {
      assert.throws(() => readWaveforms(latin1(changed), { format: 'COSMOS' }), refusal(message))
    }
  })

  test('damaged anywhere is refused or read', () => {
    const whole = latin1(encodeCosmos([block([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])]))

    assertDamageIsRefusedOrRead(whole, { format: 'COSMOS' }, { runs: 2000 })
  })
})
