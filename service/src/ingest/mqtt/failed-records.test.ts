import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FailedRecords, parsePlace } from './failed-records.ts'

describe('FailedRecords', () => {
  test('lists the messages that failed, in their own order, each once', () => {
    const failed = new FailedRecords<string>()
    failed.addRecord('c', { index: 0, reason: 'later' })
    failed.hasSeveral('a')
    failed.addRecord('a', { index: 4, reason: 'four' })
    failed.addRecord('a', { index: 1, reason: 'one' })
    failed.addMessage('b', 'unreadable')

    assert.equal(failed.size, 3)
    assert.deepEqual(failed.list(['a', 'b', 'fine', 'c']), [
      { of: 'a', places: '#1,4', reason: 'record 1: one; record 4: four' },
      { of: 'b', places: '', reason: 'unreadable' },
      { of: 'c', places: '', reason: 'later' },
    ])
  })

  test('of many reasons the first are shown, and every place', () => {
    const failed = new FailedRecords<string>()
    failed.hasSeveral('a')
    for (let index = 0; index < 9; index++) failed.addRecord('a', { index, reason: 'bad' })

    const [one] = failed.list(['a'])

    assert.equal(one!.places, '#0,1,2,3,4,5,6,7,8')
    assert.ok(one!.reason.endsWith('record 4: bad; and 4 more'))
  })
})

test('a place says its topic and records again', () => {
  const topic = fc.string().map((text) => text.replaceAll('#', 'x'))
  const indexes = fc.uniqueArray(fc.nat(10_000), { minLength: 1 })
  fc.assert(
    fc.property(topic, indexes, (name, places) => {
      assert.deepEqual(parsePlace(name), { topic: name, indexes: undefined })
      assert.deepEqual(parsePlace(`${name}#${places.join(',')}`), {
        topic: name,
        indexes: new Set(places),
      })
    }),
  )
})
