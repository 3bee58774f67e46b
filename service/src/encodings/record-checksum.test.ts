import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CHECKSUM_RECORDS, checksumsOf, findMismatch, matches } from './record-checksum.ts'

type Row = [time: number, record: string]

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, at) => [at * 1_000, `{"v":${at},"time":"測 ${at}"}`])

const textOf = (rows: readonly Row[]): Buffer => Buffer.from(rows.map(([, text]) => text).join())

const lists = fc
  .uniqueArray(fc.integer({ min: -1e12, max: 1e12 }), { minLength: 1, maxLength: 200 })
  .chain((times) =>
    fc
      .array(fc.string({ unit: 'grapheme', minLength: 1 }), {
        minLength: times.length,
        maxLength: times.length,
      })
      .map((texts): Row[] => times.toSorted((a, b) => a - b).map((time, at) => [time, texts[at]!])),
  )

test('64 records share a checksum, and the next begins with the next record', () => {
  const sums = checksumsOf(1, rowsOf(2 * CHECKSUM_RECORDS + 1))

  assert.deepEqual(
    sums.map(({ start, last, count }) => [start, last, count]),
    [
      [0, 63_000, 64],
      [64_000, 127_000, 64],
      [128_000, 128_000, 1],
    ],
  )
})

test('a checksum of 16 records or more ends where an hour ends', () => {
  assert.deepEqual(countsOf(130, 1), [60, 60, 10])
  assert.deepEqual(countsOf(30, 5), [24, 6])
  assert.deepEqual(countsOf(30, 15), [16, 14])
  assert.deepEqual(countsOf(30, 90), [16, 14])
})

/** How many records each checksum holds of so many with some minutes between them. */
function countsOf(count: number, minutes: number): number[] {
  const rows = Array.from({ length: count }, (_, at): Row => [at * minutes * 60_000, '{}'])
  return checksumsOf(1, rows).map((sum) => sum.count)
}

test('records come to their own checksums, and to none of another source', () => {
  fc.assert(
    fc.property(lists, fc.integer({ min: 1, max: 2 ** 31 }), (rows, source) => {
      const sums = checksumsOf(source, rows)

      assert.equal(findMismatch(source, textOf(rows), sums), undefined)
      let at = 0
      for (const sum of sums) assert.ok(matches(source, sum, rows.slice(at, (at += sum.count))))
      assert.equal(at, rows.length)
      assert.ok(findMismatch(source + 1, textOf(rows), sums) !== undefined)
    }),
  )
})

test('a bit that has turned anywhere in the text is found', () => {
  fc.assert(
    fc.property(lists, fc.nat(), fc.nat(7), (rows, place, bit) => {
      const sums = checksumsOf(5, rows)
      const text = textOf(rows)
      text[place % text.length]! ^= 1 << bit

      assert.ok(findMismatch(5, text, sums) !== undefined)
    }),
  )
})

test('a record that is lost, or whose instant has moved, is found', () => {
  fc.assert(
    fc.property(lists, fc.nat(), fc.integer({ min: 1, max: 1e6 }), (rows, place, moved) => {
      const at = place % rows.length
      const sums = checksumsOf(5, rows)
      const left = rows.filter((_, index) => index !== at)
      const [sum] = sums
      const first = rows.slice(0, sum!.count)
      const shifted = first.map(([time, text], index): Row => [
        index === at ? time + moved : time,
        text,
      ])

      assert.ok(findMismatch(5, textOf(left), sums) !== undefined)
      if (at < first.length) assert.equal(matches(5, sum!, shifted), false)
    }),
  )
})

test('an empty text comes to no checksums, and to none only', () => {
  assert.equal(findMismatch(1, new Uint8Array(), []), undefined)
  assert.ok(findMismatch(1, new Uint8Array(), checksumsOf(1, rowsOf(1))) !== undefined)
})
