import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { plain, recordLists } from '../../domain/records/_records.ts'
import { encodeHours } from './hour-codec.ts'
import { summarizeHours } from '../../domain/records/hour-summary.ts'
import { zone } from '../../domain/time/local-time.ts'
import { joinRecords, type RecordList } from '../../domain/records/record-list.ts'
import { recordKey, recordText } from '../../domain/records/record-text.ts'
import { DamageError } from '../../errors/damage-error.ts'
import {
  checkHeader,
  checkDeflated,
  inflatePart,
  openPart,
  sealPart,
  type SealedPart,
} from './sealed-part.ts'

const START = Date.UTC(2026, 0, 1)
const UNTIL = START + 86_400_000

function seal({ times, texts }: RecordList): SealedPart {
  const text = joinRecords(texts)
  const hours = encodeHours(summarizeHours(text, times, zone('UTC')))
  return sealPart({ start: START, until: UNTIL, text, times, hours })
}

/** So few records that each of their bits can be flipped. */
function fewRecords(): RecordList {
  const keys = ['strain', '应变', '},{'].map(recordKey)
  const times = [0, 1, 2, 4, 5, 60].map((minute) => START + minute * 60_000)
  const texts = times.map((time, at) => {
    const local = new Date(time).toISOString().slice(0, 19).replace('T', ' ')
    return Buffer.from(recordText(keys, [at / 7, -at, at === 3 ? undefined : 1e21], local))
  })
  return { times, texts }
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[bit >> 3]! ^= 1 << (bit & 7)
  return changed
}

function flippedNumber(number: number, bit: number): number {
  const double = new Float64Array([number])
  new Uint8Array(double.buffer)[bit >> 3]! ^= 1 << (bit & 7)
  return double[0]!
}

const BYTES = ['deflated', 'times', 'hours'] as const
const NUMBERS = [
  'start',
  'until',
  'count',
  'first',
  'last',
  'length',
  'crc',
  'headerCrc',
  'deflatedCrc',
] as const

/** The part with one bit changed, for each of its bits. */
function* allDamages(part: SealedPart): Generator<[place: string, damaged: SealedPart]> {
  for (const name of BYTES)
    for (let bit = 0; bit < part[name].length * 8; bit++)
      yield [`${name} bit ${bit}`, { ...part, [name]: flipped(part[name], bit) }]
  for (const name of NUMBERS)
    for (let bit = 0; bit < 64; bit++)
      yield [`${name} bit ${bit}`, { ...part, [name]: flippedNumber(part[name], bit) }]
  const newest = Buffer.from(part.newest)
  for (let bit = 0; bit < newest.length * 8; bit++) {
    const text = Buffer.from(flipped(newest, bit)).toString()
    yield [`newest bit ${bit}`, { ...part, newest: text }]
  }
}

describe('a sealed part', () => {
  test('decodes to the records that were sealed, whatever their keys are', () => {
    fc.assert(
      fc.property(recordLists({ minLength: 1, maxLength: 40 }), (list) => {
        assert.deepEqual(plain(openPart(seal(list))), plain(list))
      }),
      { numRuns: runs(500) },
    )
  })

  test('has the count, the first and last instants and the newest record in its header', () => {
    fc.assert(
      fc.property(recordLists({ minLength: 1 }), (list) => {
        const { count, first, last, newest, length, crc } = seal(list)
        const records = plain(list)
        const text = joinRecords(list.texts)

        assert.deepEqual(
          { count, first: [first], last: [last, newest], length, crc },
          {
            count: records.length,
            first: [records[0]![0]],
            last: records.at(-1),
            length: text.length,
            crc: crc32(text),
          },
        )
      }),
      { numRuns: runs(500) },
    )
  })

  test('passes its checks, and inflates to the joined records', () => {
    const list = fewRecords()
    const part = seal(list)

    checkDeflated(part)
    checkHeader(part)
    assert.deepEqual(Buffer.from(inflatePart(part)), Buffer.from(joinRecords(list.texts)))
  })

  test('with any flipped bit is damaged and cannot be decoded', () => {
    const part = seal(fewRecords())
    let tried = 0

    for (const [place, damaged] of allDamages(part)) {
      assert.throws(() => openPart(damaged), DamageError, place)
      tried++
    }

    assert.ok(tried > 4_000, String(tried))
  })

  test('is found damaged by the check of its records or its header alone', () => {
    const part = seal(fewRecords())

    for (const [place, damaged] of allDamages(part)) {
      const isOfRecords = place.startsWith('deflated')
      const check = isOfRecords ? () => checkDeflated(damaged) : () => checkHeader(damaged)
      assert.throws(check, DamageError, place)
    }
  })

  test('with any byte replaced or cut off is damaged', () => {
    const part = seal(fewRecords())
    const change = fc.constantFrom(...BYTES).chain((name) =>
      fc.record({
        name: fc.constant(name),
        at: fc.nat({ max: part[name].length - 1 }),
        by: fc.option(fc.integer({ min: 1, max: 255 }), { nil: undefined }),
      }),
    )

    fc.assert(
      fc.property(change, ({ name, at, by }) => {
        const bytes = by === undefined ? part[name].slice(0, at) : Uint8Array.from(part[name])
        if (by !== undefined) bytes[at]! ^= by
        assert.throws(() => openPart({ ...part, [name]: bytes }), DamageError)
      }),
      { numRuns: runs(500) },
    )
  })

  test('with right checksums and wrong contents is damaged too', () => {
    const list = fewRecords()
    const one = { times: [START], texts: list.texts.slice(0, 1) }
    const text = joinRecords(list.texts)
    const hours = new Uint8Array()

    for (const [reason, wrong] of [
      [/has 6 records and 1 instants/, { start: START, until: UNTIL, text, times: [START] }],
      [/outside its bounds/, { start: START + 1, until: UNTIL, text, times: list.times }],
      [/outside its bounds/, { start: START, until: START + 3_600_000, text, times: list.times }],
      [/has 1 records/, { start: START, until: UNTIL, text: one.texts[0]!, times: list.times }],
    ] as const)
      assert.throws(
        () => openPart(sealPart({ ...wrong, hours })),
        (error: Error) => error instanceof DamageError && reason.test(error.message),
      )
  })
})
