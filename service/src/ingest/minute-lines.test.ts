import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MinuteLines } from './minute-lines.ts'

function withLines() {
  const written: [string, number][] = []
  const lines = new MinuteLines<number>({
    write: (name, sum) => void written.push([name, sum]),
    add: (one, other) => one + other,
  })
  return { lines, written }
}

test('the first event of a name is written at once, and later ones once a minute', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { lines, written } = withLines()

  for (let count = 0; count < 1000; count++) lines.note('a', 1)
  lines.note('b', 5)
  assert.deepEqual(written.splice(0), [
    ['a', 1],
    ['b', 5],
  ])

  t.mock.timers.tick(60_000)
  assert.deepEqual(written.splice(0), [['a', 999]])
  lines.note('b', 2)
  lines.note('a', 3)
  assert.deepEqual(written.splice(0), [['b', 2]])
  t.mock.timers.tick(60_000)
  assert.deepEqual(written.splice(0), [['a', 3]])
})

test('disposing writes what was not written yet', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { lines, written } = withLines()
  lines.note('a', 1)
  lines.note('a', 2)

  lines[Symbol.dispose]()
  t.mock.timers.tick(600_000)

  assert.deepEqual(written, [
    ['a', 1],
    ['a', 2],
  ])
})
