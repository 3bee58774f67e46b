import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { joinRecords } from '../../domain/records/record-list.ts'
import { deflateSmall, inflateText } from '../../encodings/deflate-small.ts'
import type { DeflatedText } from '../stores/records.ts'
import { divideRecords } from './divide-records.ts'
import { KeptDay, type DayMarker } from './kept-day.ts'

const DAY = 86_400_000
const START = 20_000 * DAY

/** A record as it is stored; its length varies with its instant. */
const recordAt = (instant: number): Buffer =>
  Buffer.from(
    `{"strain":${instant % 7919},"note":"${'桥'.repeat(instant % 23)}","time":"2026-01-01 00:00:00"}`,
  )

/** Appends records as the reader of open days does. */
function append(
  day: KeptDay,
  times: readonly number[],
  marker: DayMarker,
  { until, settled }: { until: number; settled: number },
): void {
  const text = joinRecords(times.map(recordAt))
  const division = divideRecords(joinRecords([day.tail, text].filter(({ length }) => length > 0)))
  const stretches = division.pieces.map((piece) => deflateSmall(piece.text))
  day.append({ marker, until, settled }, times, division, stretches)
}

/** The text of chunks with commas between them; each must be what its length and CRC-32 say. */
const textOf = (chunks: readonly DeflatedText[]): string =>
  chunks
    .map(({ deflated, length, crc }) => {
      const text = inflateText(deflated, length)
      assert.equal(text.length, length)
      assert.equal(crc32(text), crc)
      return text.toString()
    })
    .join(',')

const expected = (times: readonly number[], from: number, to: number): string =>
  times
    .filter((time) => time >= from && time <= to)
    .map((time) => recordAt(time).toString())
    .join(',')

describe('a kept day', () => {
  test('gives any window of what was appended, byte for byte', () => {
    const gap = fc.integer({ min: 1, max: 200_000 })
    const batch = fc.record({
      gaps: fc.array(gap, { maxLength: 120, size: 'max' }),
      windows: fc.array(fc.tuple(fc.nat(DAY - 1), fc.nat(DAY - 1)), { maxLength: 4 }),
    })
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 8, size: 'max' }), (batches) => {
        const end = START + DAY
        let marker = { rewrites: 1, revision: 0 }
        const day = new KeptDay({ from: START, marker }, START, end)
        const all: number[] = []
        let last = START - 1
        for (const { gaps, windows } of batches) {
          const times: number[] = []
          for (const step of gaps) if (last + step < end) times.push((last += step))
          marker = { rewrites: 1, revision: marker.revision + 1 }
          append(day, times, marker, { until: end, settled: last + 1 })
          all.push(...times)

          for (const [one, other] of [...windows, [0, DAY - 1] as const]) {
            const from = START + Math.min(one, other)
            const to = START + Math.max(one, other)
            const part = day.cut(marker, from, to)
            assert.ok(part !== undefined)
            assert.equal(part.next, to + 1)
            assert.equal(textOf(part.chunks), expected(all, from, to))
          }
          assert.equal(day.count, all.length)
        }
        for (const from of all.filter((_, at) => at % 7 === 0)) {
          const part = day.cut(marker, from, end - 1)
          assert.equal(textOf(part!.chunks), expected(all, from, end))
        }
      }),
      { numRuns: 30 },
    )
  })

  test('knows nothing after a rewrite, and what is settled after newer records came', () => {
    const times = [0, 60_000, 120_000].map((time) => START + time)
    const read = { rewrites: 4, revision: 9 }
    const day = new KeptDay({ from: START, marker: read }, START, START + DAY)
    append(day, times, read, { until: START + DAY, settled: START + 120_001 })

    const same = day.cut(read, START, START + DAY - 1)
    const newer = day.cut({ rewrites: 4, revision: 10 }, START, START + DAY - 1)
    const behind = day.cut({ rewrites: 4, revision: 10 }, START + 120_001, START + DAY - 1)
    const rewritten = day.cut({ rewrites: 5, revision: 10 }, START, START + DAY - 1)

    assert.equal(same?.next, START + DAY)
    assert.equal(newer?.next, START + 120_001)
    assert.equal(textOf(newer.chunks), expected(times, START, START + DAY))
    assert.equal(behind, undefined)
    assert.equal(rewritten, undefined)
  })

  test('does not change what a response is sending while it grows', () => {
    const marker = { rewrites: 1, revision: 1 }
    const day = new KeptDay({ from: START, marker }, START, START + DAY)
    const first = Array.from({ length: 300 }, (_, at) => START + at * 1000)
    append(day, first, marker, { until: START + DAY, settled: START + 300_000 })
    const sending = day.cut(marker, START, START + DAY - 1)!.chunks
    const before = textOf(sending)

    for (let batch = 1; batch <= 20; batch++) {
      const more = Array.from({ length: 300 }, (_, at) => START + (batch * 300 + at) * 1000)
      append(day, more, marker, { until: START + DAY, settled: more.at(-1)! + 1 })
    }

    assert.equal(textOf(sending), before)
  })
})

describe('records that are divided', () => {
  test('are the same when their pieces and the rest are joined', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(DAY), { minLength: 1, maxLength: 300, size: 'max' }), (times) => {
        const text = joinRecords(times.map(recordAt))

        const { pieces, rest } = divideRecords(text)

        const parts = [...pieces.map((piece) => piece.text), rest].filter(
          ({ length }) => length > 0,
        )
        assert.deepEqual(joinRecords(parts), text)
        const count = pieces.reduce((sum, piece) => sum + piece.count, 0)
        assert.ok(count <= times.length)
        assert.equal(rest.length === 0, count === times.length)
      }),
    )
  })
})
