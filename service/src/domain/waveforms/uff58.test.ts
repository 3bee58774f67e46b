import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { assertDamageIsRefusedOrRead, refusal } from './_damage.ts'
import { join } from './_miniseed.ts'
import { latin1, testFile, textOf } from './_test-files.ts'
import { readWaveforms } from './read-waveforms.ts'

type Dataset = {
  samples: readonly number[]
  isDouble?: boolean
  /** Undefined for ASCII. */
  isLittle?: boolean | undefined
  end?: string
  kind?: number
  type?: number
  spacing?: number
  abscissa?: number
  interval?: string
  dof?: string
  title?: string
  unit?: string
  denominator?: string
}

const label = (text: string): string => text.padEnd(20)

function encodeUff(dataset: Dataset): Uint8Array {
  const { samples, isDouble = false, isLittle, end = '\n', kind = 1, abscissa = 17 } = dataset
  const type = dataset.type ?? (isDouble ? 4 : 2)
  const width = isDouble ? 8 : 4
  const binary = new Uint8Array(width * samples.length)
  const view = new DataView(binary.buffer)
  samples.forEach((sample, at) => {
    if (isDouble) view.setFloat64(8 * at, sample, isLittle)
    else view.setFloat32(4 * at, sample, isLittle)
  })
  const size = String(binary.length).padStart(12)
  const lines = [
    '    -1',
    isLittle === undefined
      ? '    58'
      : `    58b${isLittle ? '     1' : '     2'}     2          11${size}`,
    dataset.title ?? 'NONE',
    'NONE',
    '20-Nov-26 12:00:00',
    'NONE',
    'NONE',
    `${String(kind).padStart(5)}         0    0         0 ${dataset.dof ?? 'NONE               0   0'} NONE               0   0`,
    `${String(type).padStart(10)}${String(samples.length).padStart(10)}${String(dataset.spacing ?? 1).padStart(10)}  0.00000E+00${(dataset.interval ?? '1.00000E-02').padStart(13)}  0.00000E+00`,
    `${String(abscissa).padStart(10)}    0    0    0 ${label('Time')} ${label('s')}`,
    `         8    0    0    0 ${label('Acceleration')} ${label(dataset.unit ?? 'm/s2')}`,
    `         0    0    0    0 ${label('NONE')} ${label(dataset.denominator ?? 'NONE')}`,
    `         0    0    0    0 ${label('NONE')} ${label('NONE')}`,
  ]
  const head = latin1(lines.map((line) => line.padEnd(80) + end).join(''))
  const [perLine, column, digits] = isDouble ? [4, 20, 11] : [6, 13, 5]
  let text = ''
  for (const [at, sample] of samples.entries()) {
    const number = sample
      .toExponential(digits)
      .replace(/e([+-])(\d)$/, 'e$10$2')
      .toUpperCase()
    text += number.padStart(column) + (at % perLine === perLine - 1 ? end : '')
  }
  if (!text.endsWith(end)) text += end
  const values = isLittle === undefined ? latin1(text) : binary
  return join([head, values, latin1(`    -1${end}`)])
}

const finite = { noNaN: true, noDefaultInfinity: true }
const EPSILON = { single: 6e-6, double: 6e-12 }

describe('universal files', () => {
  test('a real time history reads the same in ASCII and in binary', () => {
    const [ascii] = readWaveforms(testFile('Sample_UFF58_ascii.uff.gz'))
    const [binary] = readWaveforms(testFile('Sample_UFF58b_bin.uff.gz'))

    for (const { channel, unit, sampleHz, start, samples } of [ascii!, binary!]) {
      assert.deepEqual([channel, unit, sampleHz], ['Mic 01 0+X', 'Pa', 65_536])
      assert.equal(start, undefined)
      assert.equal(samples.length, 20_000)
    }
    for (const [at, sample] of binary!.samples.entries()) {
      assert.ok(Math.abs(ascii!.samples[at]! - sample) <= 1e-5 * Math.abs(sample), String(at))
    }
  })

  test('a real file with a short last row and a header in UTF-8 is read', () => {
    const [found] = readWaveforms(testFile('time-history-not-all-columns-filled.uff'))

    assert.deepEqual([found?.channel, found?.unit, found?.sampleHz], ['1x : m/s²', 'm/s²', 20_000])
    assert.equal(found?.samples.length, 13)
    assert.deepEqual([found.samples[0], found.samples.at(-1)], [-3.81956, -5.84096])
  })

  test('a real frequency response with a header in Latin-1 is refused as one', () => {
    const message = /^line 8: dataset 1 has function type 4 over abscissa type 18 \(line 10\)/
    assert.throws(() => readWaveforms(testFile('non_ascii_header.uff')), refusal(message))
  })

  test('a header in Latin-1 keeps its letters', () => {
    const [found] = readWaveforms(encodeUff({ samples: [1], unit: 'm/s\xb2', title: '\xd6lpumpe' }))

    assert.deepEqual([found!.channel, found!.unit], ['Ölpumpe', 'm/s²'])
  })

  test('give back any samples in binary, single or double, in either byte order', () => {
    for (const [isDouble, sample] of [
      [false, fc.float(finite)],
      [true, fc.double(finite)],
    ] as const) {
      const samples = fc.array(sample, { minLength: 1 })
      fc.assert(
        fc.property(samples, fc.boolean(), (samples, isLittle) => {
          const [found] = readWaveforms(encodeUff({ samples, isDouble, isLittle, end: '\r\n' }))

          assert.deepEqual([...found!.samples], samples)
        }),
      )
    }
  })

  test('give back any samples in ASCII, as far as their digits go', () => {
    for (const isDouble of [false, true]) {
      const epsilon = isDouble ? EPSILON.double : EPSILON.single
      const samples = fc.array(fc.double({ ...finite, min: -1e30, max: 1e30 }), { minLength: 1 })
      fc.assert(
        fc.property(samples, (samples) => {
          const [found] = readWaveforms(encodeUff({ samples, isDouble }))

          assert.equal(found!.samples.length, samples.length)
          for (const [at, sample] of samples.entries()) {
            const off = Math.abs(found!.samples[at]! - sample)
            assert.ok(off <= epsilon * Math.abs(sample), `${sample} ${found!.samples[at]}`)
          }
        }),
      )
    }
  })

  test('hold several datasets, and others than 58 are gone over', () => {
    const other = latin1('    -1\n   164\n         1SI: Meter\n  1.0\n    -1\n')
    const dof = 'Deck            1012  -3'
    const bytes = join([
      other,
      encodeUff({ samples: [1, 2], dof, isLittle: true }),
      other,
      encodeUff({
        samples: [3],
        dof: 'NONE              7   2',
        denominator: 'N',
        isLittle: false,
      }),
      encodeUff({ samples: [4], interval: '2.50000E-01' }),
      latin1('\n'),
    ])

    const found = readWaveforms(bytes).map(({ channel, unit, sampleHz, samples }) => [
      channel,
      unit,
      sampleHz,
      [...samples],
    ])

    assert.deepEqual(found, [
      ['Deck 1012-Z', 'm/s2', 100, [1, 2]],
      ['7+Y', 'm/s2/N', 100, [3]],
      ['dataset 5', 'm/s2', 4, [4]],
    ])
  })

  test('are refused where they are no evenly spaced, real time history', () => {
    for (const [dataset, message] of [
      [{ kind: 2 }, /function type 2 over abscissa type 17/],
      [{ abscissa: 18 }, /function type 1 over abscissa type 18/],
      [{ kind: 0, abscissa: 0 }, /function type 0 over abscissa type 0/],
      [{ type: 5 }, /^line 9: ordinate type is 5, complex, expected 2 or 4, real/],
      [{ type: 6 }, /^line 9: ordinate type is 6, complex/],
      [{ type: 3 }, /^line 9: ordinate type is 3, unknown/],
      [{ spacing: 0 }, /^line 9: abscissa spacing is 0, expected 1, even/],
      [{ interval: '0.00000E+00' }, /^line 9, columns 44 to 56: sample rate is Infinity Hz/],
      [{ interval: '' }, /^line 9, columns 44 to 56: sample rate is/],
      [{ interval: '-1.0' }, /sample rate is -1 Hz/],
    ] as const) {
      const bytes = encodeUff({ samples: [1, 2, 3], ...dataset })

      assert.throws(() => readWaveforms(bytes), refusal(message))
    }
  })

  test('are refused where counts do not fit what follows', () => {
    const text = textOf(encodeUff({ samples: [1, 2, 3], end: '\n' }))
    const binary = textOf(encodeUff({ samples: [1, 2, 3], isLittle: true }))
    for (const [changed, message] of [
      [text.replace('         3         1', '         4         1'), /^line 14 has 3 numbers, exp/],
      [text.replace('         3         1', '         2         1'), /^line 14 continues with/],
      [text.replace('         3         1', '         9         1'), /^line 14 has 3 numbers/],
      [text.replace('         3         1', '      9 99         1'), /"9 99", expected a whole/],
      [text.replace('         3         1', '         0         1'), /0 values are announced/],
      [text.replace('         3         1', ' 999999999         1'), /999999999 numbers are an/],
      [text.slice(0, -8), /expected "    -1" after 3 values of dataset 1/],
      [binary.replace('          12', '          16'), /16 bytes of data are announced for 3/],
      [binary.replace('          12', '   999999999'), /999999999 bytes .+ but \d+ follow/],
      [binary.replace('58b     1', '58b     3'), /byte order is 3/],
      [binary.replace('58b     1     2', '58b     1     1'), /kind of floats is 1/],
      [binary.slice(0, -7), /expected "    -1" after 3 values/],
      ['    -1\n    15\n', /dataset 1 does not end with "    -1": truncated/],
      ['    -1\n    15\n    -1\n', /no dataset 58/],
      ['    -1\n', /ends where dataset 1 begins/],
      ['    -1\n    58\nNONE\n', /ends after 1 of 11 header lines/],
      ['    58\n', /expected "    -1" before dataset 1/],
    ] as const) {
      assert.throws(() => readWaveforms(latin1(changed), { format: 'UFF58' }), refusal(message))
    }
  })

  test('with a value that is no number are refused', () => {
    const bytes = encodeUff({ samples: [1, NaN], isLittle: false, isDouble: true })

    assert.throws(() => readWaveforms(bytes), refusal(/^byte 1053: sample 2 is NaN/))
  })

  test('damaged anywhere are refused or read', () => {
    const samples = [1, -2, 3e-5, 4, 5, 6, 7]
    for (const isLittle of [undefined, true, false]) {
      const whole = encodeUff({ samples, isLittle })
      assertDamageIsRefusedOrRead(whole, { format: 'UFF58' }, { runs: 1500 })
    }
  })
})
