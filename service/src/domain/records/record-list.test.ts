import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { plain, recordLists } from './_records.ts'
import {
  cutRecords,
  findInstant,
  findLastRecord,
  joinRecords,
  mergeRecords,
  nestRecords,
  reverseRecords,
  splitRecords,
} from './record-list.ts'
import { recordKey, recordText, TIME_SUFFIX_LENGTH } from './record-text.ts'

const RUNS = { numRuns: runs(1_000) }

const texts = (list: readonly Uint8Array[]): string[] =>
  list.map((text) => Buffer.from(text).toString())

const instant = fc.integer({ min: -2, max: 402 }).map((step) => 1_767_225_600_000 + step * 500)

/** What storage gives for an open record that is asked for nested. */
function nestedOf(record: Uint8Array): string {
  const text = Buffer.from(record)
  const values = text.toString('utf8', 0, text.length - TIME_SUFFIX_LENGTH)
  return `{"values":${values}}${text.toString('utf8', text.length - TIME_SUFFIX_LENGTH)}`
}

describe('joined records', () => {
  test('are split into what was joined, whatever the keys are', () => {
    fc.assert(
      fc.property(recordLists(), (list) => {
        const joined = joinRecords(list.texts)

        assert.equal(Buffer.from(joined).toString(), texts(list.texts).join(','))
        assert.deepEqual(texts(splitRecords(joined)), texts(list.texts))
      }),
      RUNS,
    )
  })

  test('may begin anywhere in a larger buffer', () => {
    fc.assert(
      fc.property(recordLists({ minLength: 1 }), ({ texts: given }) => {
        const around = Buffer.concat([Buffer.from('{"x":1,'), joinRecords(given), Buffer.from('}')])
        const inside = new Uint8Array(around.buffer, around.byteOffset + 7, around.length - 8)

        assert.deepEqual(texts(splitRecords(inside)), texts(given))
        assert.deepEqual(nestRecords(inside), nestRecords(joinRecords(given)))
      }),
    )
  })

  test('cut off within a record are refused', () => {
    const joined = joinRecords([
      Buffer.from(recordText([recordKey('},{')], [1], '2026-01-01 00:00:00')),
      Buffer.from(recordText([recordKey('},{')], [2], '2026-01-01 00:00:01')),
    ])
    const first = (joined.length - 1) / 2

    for (let length = 1; length < joined.length; length++) {
      // Behind the first record, and behind the comma, nothing is missing.
      if (length === first || length === first + 1) continue
      const cut = joined.subarray(0, length)
      assert.throws(() => splitRecords(cut), /last record is incomplete/, String(length))
      assert.throws(() => nestRecords(cut), /last record is incomplete/, String(length))
    }
  })

  test('end with the last one', () => {
    fc.assert(
      fc.property(recordLists({ minLength: 1 }), (list) => {
        const joined = Buffer.from(joinRecords(list.texts))

        assert.equal(joined.toString('utf8', findLastRecord(joined)), texts(list.texts).at(-1))
      }),
      RUNS,
    )
  })
})

describe('nested records', () => {
  test('are the text that storage gives for open ones, and JSON of the same values', () => {
    fc.assert(
      fc.property(recordLists(), (list) => {
        const nested = Buffer.from(nestRecords(joinRecords(list.texts))).toString()

        assert.equal(nested, list.texts.map(nestedOf).join(','))
        // V8 takes an escaped key for one it has read before that ends with a backslash.
        if (nested.includes('\\')) return
        const flat = JSON.parse(`[${texts(list.texts).join(',')}]`)
        assert.deepEqual(
          JSON.parse(`[${nested}]`),
          flat.map(({ time, ...values }: { time: string }) => ({ values, time })),
        )
      }),
      RUNS,
    )
  })

  test('keep a key that looks like the seam of two records', () => {
    const record = recordText([recordKey('},{')], [1], '2026-01-01 00:00:00')

    assert.equal(
      Buffer.from(nestRecords(Buffer.from(record))).toString(),
      '{"values":{"},{":1},"time":"2026-01-01 00:00:00"}',
    )
  })
})

describe('lists of records', () => {
  test('cut from one instant to another have both ends and nothing else', () => {
    fc.assert(
      fc.property(recordLists(), instant, instant, (list, from, to) => {
        const inside = plain(list).filter(([time]) => time >= from && time <= to)

        assert.deepEqual(plain(cutRecords(list, from, to)), inside)
      }),
      RUNS,
    )
  })

  test('cut of instants in typed memory are the same', () => {
    fc.assert(
      fc.property(recordLists(), instant, instant, (list, from, to) => {
        const typed = { ...list, times: Float64Array.from(list.times) }

        assert.deepEqual(plain(cutRecords(typed, from, to)), plain(cutRecords(list, from, to)))
      }),
    )
  })

  test('merged are a map of both, in which the later one stands', () => {
    fc.assert(
      fc.property(recordLists(), recordLists(), (earlier, later) => {
        const both = new Map([...plain(earlier), ...plain(later)])

        assert.deepEqual(
          plain(mergeRecords(earlier, later)),
          [...both].toSorted(([a], [b]) => a - b),
        )
      }),
      RUNS,
    )
  })

  test('reversed have the newest first', () => {
    fc.assert(
      fc.property(recordLists(), (list) => {
        assert.deepEqual(plain(reverseRecords(list)), plain(list).toReversed())
      }),
    )
  })

  test('are searched for the first instant that is not before another', () => {
    fc.assert(
      fc.property(recordLists(), instant, ({ times }, wanted) => {
        const before = Array.from(times).filter((time) => time < wanted)

        assert.equal(findInstant(times, wanted), before.length)
      }),
    )
  })
})
