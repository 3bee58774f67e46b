import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../test/_random.ts'
import { NUMBER_BYTES, textSpace, writeNumber } from './number-text.ts'

const START = 3

function textOf(number: number): string {
  const space = textSpace(START + NUMBER_BYTES)
  const end = writeNumber(space, START, number)
  return Buffer.from(space.bytes.subarray(START, end)).toString('latin1')
}

const assertAsString = (number: number): void => assert.equal(textOf(number), String(number))

const finite = { noNaN: true, noDefaultInfinity: true } as const
const power = (from: number, to: number) => fc.integer({ min: from, max: to })
const signed = fc.constantFrom(1, -1)

const KINDS = {
  'a double': fc.double(finite),
  'a double of a usual size': fc
    .tuple(fc.double({ ...finite, min: 1, max: 10 }), power(-20, 18), signed)
    .map(([digits, size, sign]) => sign * digits * 10 ** size),
  'a single': fc.float(finite),
  'a single of a usual size': fc
    .tuple(fc.double({ ...finite, min: 1, max: 10 }), power(-12, 12), signed)
    .map(([digits, size, sign]) => sign * Math.fround(digits * 10 ** size)),
  'a short decimal': fc
    .tuple(fc.integer(), power(0, 18))
    .map(([digits, places]) => digits / 10 ** places),
  'an integer': fc.maxSafeInteger(),
  'an integer of 32 bits': fc.integer(),
  'a multiple of a power of two': fc
    .tuple(fc.integer(), power(-1_074, 60))
    .map(([digits, size]) => digits * 2 ** size),
} as const

for (const [kind, numbers] of Object.entries(KINDS))
  test(`${kind} is written as String does`, () => {
    fc.assert(fc.property(numbers, assertAsString), { numRuns: runs(5_000) })
  })

test('numbers at every edge are written as String does', () => {
  for (let exponent = -1_074; exponent < 1_024; exponent++)
    for (const digits of [1, 1.5, 2 - 2 ** -52, 1 + 2 ** -52, 1 + 2 ** -51, 1.1, 1.7])
      assertAsString(digits * 2 ** exponent)
  for (let exponent = -323; exponent <= 308; exponent++)
    for (const digits of [1, 5, 9.5, 10 - 2 ** -49, 1 + 2 ** -52])
      assertAsString(digits * Number(`1e${exponent}`))
  for (const number of [0, -0, 5e-324, 9_999, 10_000, 99_999_999, 100_000_000, -(2 ** 31), 2 ** 31])
    assertAsString(number)
})

test('a number is written where it is told, and nothing before it is touched', () => {
  const space = textSpace(2 * NUMBER_BYTES)
  space.bytes.fill(0x20)

  const end = writeNumber(space, 5, -(0.1 + 0.2))

  const text = Buffer.from(space.bytes.subarray(0, end)).toString('latin1')
  assert.equal(text, '     -0.30000000000000004')
})
