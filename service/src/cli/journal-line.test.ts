import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isJournal, journalLine } from './journal-line.ts'

for (const [level, priority] of [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
  [20, 7],
  [10, 7],
] as const)
  test(`level ${level} has the priority ${priority}`, () => {
    const line = `{"level":${level},"msg":"x"}\n`

    assert.equal(journalLine(line), `<${priority}>${line}`)
  })

test('each line of a failure is an error', () => {
  assert.equal(journalLine('Error: no\n    at here'), '<3>Error: no\n<3>    at here')
})

test('without the variable, or with that of a parent, there is no journal', () => {
  assert.equal(isJournal(0, {}), false)
  assert.equal(isJournal(0, { JOURNAL_STREAM: '0:0' }), false)
})
