import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOfTarget } from './audit-target.ts'

test('a target leads to what it names, the nearest first', () => {
  assert.equal(addressOfTarget('stationId=1001 changeId=17'), '#/stations/1001')
  assert.equal(addressOfTarget('structId=101 factorId=1 batchNo=x'), '#/structures/101/thresholds')
  assert.equal(addressOfTarget('account=anna'), '#/accounts')
})

test('a target that names nothing of the console leads nowhere', () => {
  for (const target of [null, '', 'ids=7,8', 'stationId=<b>'])
    assert.equal(addressOfTarget(target), undefined)
})
