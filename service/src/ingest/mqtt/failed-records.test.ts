import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FailedRecords } from './failed-records.ts'

describe('FailedRecords', () => {
  test('lists each failed message once, in the order of the messages', () => {
    const failed = new FailedRecords<string>()
    failed.addRecord('c', { index: 0, reason: 'later' })
    failed.noteSeveral('a')
    failed.addRecord('a', { index: 4, reason: 'four' })
    failed.addRecord('a', { index: 1, reason: 'one' })
    failed.addMessage('b', 'unreadable')

    assert.equal(failed.size, 3)
    assert.deepEqual(failed.list(['a', 'b', 'fine', 'c']), [
      { message: 'a', indexes: [1, 4], reason: 'record 1: one; record 4: four' },
      { message: 'b', indexes: undefined, reason: 'unreadable' },
      { message: 'c', indexes: undefined, reason: 'later' },
    ])
  })

  test('shows the first of many reasons, and every index', () => {
    const failed = new FailedRecords<string>()
    failed.noteSeveral('a')
    for (let index = 0; index < 9; index++) failed.addRecord('a', { index, reason: 'bad' })

    const [one] = failed.list(['a'])

    assert.deepEqual(one?.indexes, [0, 1, 2, 3, 4, 5, 6, 7, 8])
    assert.match(one.reason, /record 4: bad; and 4 more$/)
  })
})
