import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countLostIds } from './skip-lost-ids.ts'

const BACKUP = Date.UTC(2026, 2, 1)
const DAY = 86_400_000

test('a second restore of a backup leaves out the ids of the first', () => {
  const first = countLostIds(BACKUP, BACKUP + DAY)
  const second = countLostIds(BACKUP, BACKUP + DAY + 3_600_000)

  assert.deepEqual([first, second - first], [186_400, 3600])
})

test('a clock that is wrong leaves out few enough ids for many restores', () => {
  assert.equal(countLostIds(BACKUP, 0), 100_000)
  assert.equal(countLostIds(0, Date.UTC(2100, 0)), 10_100_000)
})
