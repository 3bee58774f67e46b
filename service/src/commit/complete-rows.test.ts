import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { recordKey } from '../domain/records/record-text.ts'
import { zone } from '../domain/time/local-time.ts'
import { completeRows, toPlacedWrite, type Recorded } from './complete-rows.ts'

const KEYS = ['a', 'b']
const TIME = Date.UTC(2026, 0, 1)
const structure = { zone: zone('UTC') } as Recorded['structure']
const of: Recorded = {
  itemIndex: new Map(KEYS.map((key, place) => [key, place])),
  quotedKeys: KEYS.map(recordKey),
  structure,
}

/** What is written where a record comes to a place with another one. */
async function written(record: string | null, values: (number | undefined)[], isPart = true) {
  const given = { source: 1, time: TIME, record: '', values, isPart }
  const { rows } = await completeRows([given], [{ record, marks: null }], () => of)
  return toPlacedWrite(rows)
}

const text = (members: string) => `{${members},"time":"2026-01-01 00:00:00"}`

describe('completing a record', () => {
  test('keeps the values that it does not name, also of an item that the site has no more', async () => {
    const { rows, expected } = await written(text('"gone":7,"a":1'), [undefined, 2])

    assert.deepEqual(rows.records, [text('"a":1,"b":2,"gone":7')])
    assert.equal(rows.areNew, false)
    assert.deepEqual(expected.stored, [{ record: text('"gone":7,"a":1'), marks: null }])
  })

  test('replaces it whole where that is asked for', async () => {
    const { rows } = await written(text('"gone":7,"a":1'), [undefined, 2], false)

    assert.deepEqual(rows.records, [text('"b":2')])
  })

  test('of a place where nothing is stored expects that, in the record itself', async () => {
    const { rows, expected } = await written(null, [1, undefined])

    assert.equal(rows.areNew, true)
    assert.deepEqual(expected.stored, [])
  })
})
