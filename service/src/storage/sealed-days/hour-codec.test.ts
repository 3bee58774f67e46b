import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { DamageError } from '../../errors/damage-error.ts'
import { decodeHours, encodeHours } from './hour-codec.ts'
import {
  summarizeHours,
  type HourSummary,
  type ItemSummary,
} from '../../domain/records/hour-summary.ts'
import { zone } from '../../domain/time/local-time.ts'

const HOUR = 3_600_000

/** Values of one item: with a fixed number of decimals, or of extreme kinds. */
const VALUES: readonly fc.Arbitrary<number>[] = [
  ...[0, 1, 2, 3, 6, 9].map((decimals) =>
    fc.integer({ min: -2_000_000, max: 2_000_000 }).map((whole) => whole / 10 ** decimals),
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
  fc.maxSafeInteger(),
  fc.maxSafeInteger().map((whole) => whole / 1e9),
  fc.constantFrom(0, -0, 5e-324, -5e-324, 1e308, -1e308, 2 ** 50, 2 ** 50 + 1, 1e21, 0.1, 1e-9),
]

const summaryOf = (values: readonly number[]): ItemSummary => ({
  minimum: values.reduce((least, value) => (value < least ? value : least)),
  maximum: values.reduce((most, value) => (value > most ? value : most)),
  sum: values.reduce((sum, value) => sum + value),
  count: values.length,
  first: values[0]!,
  last: values.at(-1)!,
})

const starts = fc
  .tuple(
    fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_000 }),
    fc.array(fc.oneof(fc.constant(HOUR), fc.integer({ min: 1, max: 9e12 })), { maxLength: 30 }),
    fc.boolean(),
  )
  .map(([first, steps, isEmpty]) => {
    const found = isEmpty ? [] : [first]
    for (const step of isEmpty ? [] : steps) found.push(found.at(-1)! + step)
    return found
  })

const key = fc.oneof(
  fc.constantFrom(
    '',
    'strain',
    '__proto__',
    'constructor',
    '应变',
    'it\'s "quoted"',
    '\ud800',
    '\\',
  ),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
)

const hours: fc.Arbitrary<HourSummary[]> = starts.chain((starts) => {
  const item = fc
    .constantFrom(...VALUES)
    .chain((value) =>
      fc.array(
        fc.option(fc.array(value, { minLength: 1, maxLength: 70 }), { nil: undefined, freq: 5 }),
        { minLength: starts.length, maxLength: starts.length },
      ),
    )
  return fc
    .uniqueArray(fc.tuple(key, item), { selector: ([name]) => name, maxLength: 5 })
    .map((items) =>
      starts.map((start, at) => ({
        start,
        items: new Map(
          items.flatMap(([name, lists]) => {
            const values = lists[at]
            return values === undefined ? [] : [[name, summaryOf(values)] as const]
          }),
        ),
      })),
    )
})

/** A day of a station with three items, one value a minute. */
function dayOf(decimals: readonly number[], step = 60_000): HourSummary[] {
  const clock = zone('Asia/Shanghai')
  const start = clock.toInstant('2026-03-01 00:00:00')!
  const times = Array.from({ length: 86_400_000 / step }, (_, at) => start + at * step)
  const records = times.map((time, at) => {
    const noise = Math.sin(at * 12.9898) * 43_758.5453
    const values = [
      -478 + Math.sin(at / 200) * 60 + (noise % 3),
      21 + Math.sin(at / 240) * 8 + (noise % 1),
      0.5 + Math.cos(at / 300) / 10 + (noise % 1) / 100,
    ].map((value, item) => Number(value.toFixed(decimals[item])))
    return JSON.stringify({ x: values[0], y: values[1], z: values[2], time: clock.toLocal(time) })
  })
  return summarizeHours(records.join(','), times, clock)
}

const hourOf = (...values: number[]): HourSummary => ({
  start: 0,
  items: new Map([['x', summaryOf(values)]]),
})

/** Decodes random bytes: they give an error sentence, or at most as many hours as bytes. */
const read = (bytes: Uint8Array): void => {
  for (const item of [undefined, 'x'])
    try {
      assert.ok(decodeHours(bytes, item).length <= bytes.length)
    } catch (error) {
      assert.ok(error instanceof DamageError, String(error))
      assert.match(error.message, /^Stored bytes cannot be read: .+\.$/)
    }
}

describe('encoded hours', () => {
  test('decode to the same numbers and keys, whatever they are', () => {
    fc.assert(
      fc.property(hours, (given) => {
        assert.deepStrictEqual(decodeHours(encodeHours(given)), given)
      }),
      { numRuns: runs(3000) },
    )
  })

  test('decode to a single item, in the hours that have it', () => {
    fc.assert(
      fc.property(hours, key, (given, stranger) => {
        const bytes = encodeHours(given)
        for (const wanted of [stranger, ...given.flatMap(({ items }) => [...items.keys()])])
          assert.deepStrictEqual(
            decodeHours(bytes, wanted),
            given.flatMap(({ start, items }) => {
              const item = items.get(wanted)
              return item === undefined ? [] : [{ start, items: new Map([[wanted, item]]) }]
            }),
          )
      }),
      { numRuns: runs(500) },
    )
  })

  test('keep a minus zero, an infinite sum and a sum that is NaN', () => {
    for (const hour of [hourOf(-0), hourOf(0, -0), hourOf(1e308, 1e308), hourOf(-5e-324)])
      assert.deepStrictEqual(decodeHours(encodeHours([hour])), [hour])
    const lost = hourOf(1)
    lost.items.get('x')!.sum = NaN
    assert.deepStrictEqual(decodeHours(encodeHours([lost])), [lost])
  })

  test('of a day with three items a minute take some 830 bytes, and never more than 1,000', () => {
    const sizes = [
      [2, 2, 4],
      [0, 0, 0],
      [1, 1, 3],
      [2, 1, 2],
    ].map((decimals) => encodeHours(dayOf(decimals)).length)

    assert.ok(
      sizes.every((size) => size > 300 && size < 1_000),
      sizes.join(', '),
    )
  })

  test('have eight bytes for each double without a short decimal form', () => {
    const given = dayOf([17, 17, 17])

    const bytes = encodeHours(given)

    assert.ok(bytes.length < 72 * 5 * 8 + 120, String(bytes.length))
    assert.deepStrictEqual(decodeHours(bytes), given)
  })

  test('can begin anywhere in a larger buffer', () => {
    const given = dayOf([2, 2, 17])
    const bytes = encodeHours(given)
    const shifted = new Uint8Array(bytes.length + 3)
    shifted.set(bytes, 3)

    assert.deepStrictEqual(decodeHours(shifted.subarray(3)), given)
  })

  test('must ascend', () => {
    const [hour] = dayOf([2, 2, 2])
    assert.throws(() => encodeHours([hour!, hour!]), /the starts of hours must ascend/)
  })
})

describe('damaged hours', () => {
  const whole = encodeHours(dayOf([2, 17, 4]))

  test('that are cut off in an item are refused', () => {
    for (let length = 0; length < whole.length; length++) {
      const cut = whole.subarray(0, length)
      read(cut)
      if (length < 30) assert.throws(() => decodeHours(cut), DamageError, String(length))
    }
  })

  test('with any byte changed, and random bytes, end in an error sentence', () => {
    const place = fc.nat({ max: whole.length - 1 })
    fc.assert(
      fc.property(fc.array(fc.tuple(place, fc.nat({ max: 255 })), { minLength: 1 }), (changes) => {
        const bytes = whole.slice()
        for (const [at, byte] of changes) bytes[at] = byte
        read(bytes)
      }),
      { numRuns: runs(2000) },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        read(bytes)
        read(Uint8Array.of(1, ...bytes))
      }),
      { numRuns: runs(2000) },
    )
  })

  test('with lengths beyond their end are refused before memory is allocated', () => {
    const huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]
    for (const bytes of [
      [1, ...huge],
      [1, 1, 0, ...huge],
      [1, 1, 0, 1, 120, ...huge],
      [1, 1, 0, 1, 120, 9, 48, ...huge, 0],
      [1, 1, ...huge.map(() => 0xff), 0xff, 0xff, 0x0f],
    ])
      assert.throws(() => decodeHours(Uint8Array.from(bytes)), DamageError, bytes.join(' '))
  })

  test('of another version are refused with the version', () => {
    assert.throws(() => decodeHours(Uint8Array.of(2, 0)), /their version is 2, not 1/)
    assert.throws(() => decodeHours(new Uint8Array()), /they end too early/)
  })
})
