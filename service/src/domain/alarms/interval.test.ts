import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { contains, formatIntervals, type Interval, overlaps, parseIntervals } from './interval.ts'
import { assertLinear } from '../../../test/_growth.ts'
import { RefusedError } from '../../errors/refused-error.ts'

/** One range with both ends, either of them infinite or included. */
const interval: fc.Arbitrary<Interval> = fc
  .record({
    ends: fc.tuple(end(), end()),
    includesLow: fc.boolean(),
    includesHigh: fc.boolean(),
  })
  .map(({ ends, includesLow, includesHigh }) => {
    const [low, high] = ends[0] < ends[1] ? ends : [ends[1], ends[0]]
    return {
      low,
      high,
      includesLow: (low === high || includesLow) && low !== -Infinity,
      includesHigh: (low === high || includesHigh) && high !== Infinity,
    }
  })
  .filter(({ low, high }) => low !== high || Number.isFinite(low))

/** Ranges that share no value, in any order. */
const disjoint = fc
  .array(interval, { minLength: 1, maxLength: 6 })
  .map((all) =>
    all.filter((one, index) => all.slice(0, index).every((other) => !overlaps(one, other))),
  )

function end(): fc.Arbitrary<number> {
  const double = fc.double({ noNaN: true }).map((value) => value + 0)
  return fc.oneof(fc.integer({ min: -6, max: 6 }), double)
}

function refusal(text: string): string {
  try {
    parseIntervals(text)
  } catch (error) {
    if (error instanceof RefusedError && error.reason === 'invalid') return error.message
    throw error
  }
  return 'accepted'
}

describe('interval text', () => {
  test('has one canonical form', () => {
    const forms: Record<string, string> = {
      '(-10,-5);(5,10)': '(-10,-5);(5,10)',
      '(5,10);(-10,-5)': '(-10,-5);(5,10)',
      '(-,-20);(20,+)': '(-,-20);(20,+)',
      ' ( - , -20 ] ; [ 20 , + ) ': '(-,-20];[20,+)',
      '（－１０，－５）；（５，１０）': '(-10,-5);(5,10)',
      '【５、＋）': '[5,+)',
      '［-0.50，+0.50］': '[-0.5,0.5]',
      '(-inf,0);(0,+inf)': '(-,0);(0,+)',
      '(-INFINITY,0);(0,infinity)': '(-,0);(0,+)',
      '(-∞,−5);(５．５,∞)': '(-,-5);(5.5,+)',
      '(-∞,+∞)': '(-,+)',
      '(0,inf)': '(0,+)',
      '[-,+]': '(-,+)',
      '(+5,1e3]': '(5,1000]',
      '(- 5,+ 5)': '(-5,5)',
      '(-0,.5)': '(0,0.5)',
      '[5,5]': '[5,5]',
      '(5,6);[5,5]': '[5,5];(5,6)',
      '(1e-7,1e21)': '(1e-7,1e+21)',
    }
    for (const [text, canonical] of Object.entries(forms)) {
      assert.equal(formatIntervals(parseIntervals(text)), canonical, text)
    }
  })

  test('says what its ends are', () => {
    assert.deepEqual(parseIntervals('(-,-5];[5,10)'), [
      { low: -Infinity, high: -5, includesLow: false, includesHigh: true },
      { low: 5, high: 10, includesLow: true, includesHigh: false },
    ])
    assert.ok(Object.is(parseIntervals('[-0,1]')[0]!.low, 0))
  })

  test('is refused with the pair and its character', () => {
    const sentences: Record<string, string> = {
      '': 'interval text is empty, expected pairs such as (-10,-5);(5,10)',
      ' 　': 'interval text is empty, expected pairs such as (-10,-5);(5,10)',
      '(5,10);': 'the pair at character 8 is missing, expected one such as (5,10)',
      '(5,10); 5,9':
        'the pair 5,9 at character 9 is not two ends in brackets, expected one such as (5,10) or [20,+)',
      '(10,5)': 'the pair (10,5) at character 1: the lower bound is greater than the upper bound',
      '(0,1); (5,5]':
        'the pair (5,5] at character 8 holds no value, expected [5,5] for a single one',
      '(+,5)':
        'the pair (+,5) at character 1 has the low end "+", expected a decimal number or - for minus infinity',
      '(5,-)':
        'the pair (5,-) at character 1 has the high end "-", expected a decimal number or + for plus infinity',
      '（5，6）；（5.5，7）':
        'the pair (5,6) at character 1 and the pair (5.5,7) at character 7 overlap',
      '[5,6];(0,5]': 'the pair (0,5] at character 7 and the pair [5,6] at character 1 overlap',
    }
    for (const [text, sentence] of Object.entries(sentences)) {
      assert.equal(refusal(text), sentence, text)
    }
  })

  test('is refused when an end is no decimal number', () => {
    for (const end of ['NaN', '0x10', '1e999', '', '1 0', '--5', '5-', '1_0', '∞', '1,5', 'five']) {
      assert.notEqual(refusal(`(${end},1000)`), 'accepted', end)
    }
    for (const text of ['(1,2', '1,2)', '((1,2))', '(1;2)', '(0,1e999)', '(1,2)(3,4)', '{1,2}']) {
      assert.notEqual(refusal(text), 'accepted', text)
    }
  })

  test('reads back to the same ranges, sorted', () => {
    const property = fc.property(disjoint, (intervals) => {
      const text = formatIntervals(intervals)
      const read = parseIntervals(text)
      assert.equal(read.length, intervals.length)
      for (const one of intervals) {
        assert.ok(read.some((other) => formatIntervals([other]) === formatIntervals([one])))
        assert.ok(read.some((other) => other.low === one.low && other.high === one.high))
      }
      assert.equal(formatIntervals(read), text)
      assert.deepEqual(parseIntervals(formatIntervals(read)), read)
    })
    fc.assert(property, { numRuns: runs(1000) })
  })

  test('is read or refused, whatever it is', () => {
    const characters = fc.string({ unit: fc.constantFrom(...'()[],;+-.e015∞ 　（，；') })
    const property = fc.property(fc.oneof(characters, fc.string()), (text) => {
      const sentence = refusal(text)
      if (sentence !== 'accepted') return
      const canonical = formatIntervals(parseIntervals(text))
      assert.equal(formatIntervals(parseIntervals(canonical)), canonical)
    })
    fc.assert(property, { numRuns: runs(5000) })
  })
})

describe('a range', () => {
  test('contains an end when its bracket is square', () => {
    const [open] = parseIntervals('(5,10)')
    const [closed] = parseIntervals('[5,10]')

    assert.deepEqual(
      [5, 7, 10].map((value) => contains(open!, value)),
      [false, true, false],
    )
    assert.deepEqual(
      [5, 7, 10].map((value) => contains(closed!, value)),
      [true, true, true],
    )
    assert.equal(contains(closed!, NaN), false)
    assert.equal(contains(closed!, 4.9), false)
    assert.equal(contains(closed!, 10.1), false)
  })

  test('overlaps another exactly when a value lies in both', () => {
    const probes = Array.from({ length: 53 }, (_, index) => (index - 26) / 4)
    const small = fc
      .record({
        low: fc.integer({ min: -6, max: 6 }),
        width: fc.integer({ min: 1, max: 6 }),
        includesLow: fc.boolean(),
        includesHigh: fc.boolean(),
      })
      .map(({ low, width, includesLow, includesHigh }) => {
        return { low, high: low + width, includesLow, includesHigh }
      })
    const property = fc.property(small, small, (a, b) => {
      const shared = probes.some((value) => contains(a, value) && contains(b, value))
      assert.equal(overlaps(a, b), shared)
      assert.equal(overlaps(b, a), shared)
    })
    fc.assert(property, { numRuns: runs(2000) })
  })
})

const pairs = (size: number) =>
  Array.from({ length: size }, (_, index) => `(${2 * index},${2 * index + 1})`)

test('the cost of a text grows no faster than the text', () => {
  assertLinear(
    {
      'pairs in order': (size) => pairs(size).join(';'),
      'pairs backwards': (size) => pairs(size).toReversed().join(';'),
      'the same pair': (size) => '(1,2);'.repeat(size),
      semicolons: (size) => `(1,2)${';'.repeat(size)}`,
      openers: (size) => '('.repeat(size),
      commas: (size) => `(${','.repeat(size)})`,
      'digits and a letter': (size) => `(${'0'.repeat(size)}x,5)`,
      'blanks within': (size) => `(1,+${' '.repeat(size)}x)`,
      'blanks around': (size) => `${' '.repeat(size)}(1,2${' '.repeat(size)}`,
      'full-width brackets': (size) => '（'.repeat(size),
    },
    parseIntervals,
    { size: 2_000 },
  )
})
