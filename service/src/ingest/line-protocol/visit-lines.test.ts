import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTurns } from '../../../test/_event-loop-turns.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { visitLines } from './visit-lines.ts'

test('other work runs while lines are read, comments and blank ones too', async () => {
  for (const line of ['', ' ', '#', 'm', 'm v=1']) {
    const turns = await countTurns(() => visitLines(`${line}\n`.repeat(50_000), () => {}))

    assert.ok(turns >= 49, `${turns} turns beside lines "${line}"`)
  }
})

test('other work runs after few lines that take long', async () => {
  let time = 0
  const visit = (): void => void (time += 3)

  const turns = await countTurns(() =>
    visitLines('m v=1\n'.repeat(100), visit, { now: () => time }),
  )

  assert.equal(turns, 50)
})

test('more than a million lines are refused, also blank ones', async () => {
  for (const line of ['\n', '#\n'])
    await assert.rejects(
      visitLines(line.repeat(1_000_001), () => {}),
      (error) =>
        error instanceof RefusedError &&
        error.reason === 'tooLarge' &&
        error.message === 'the body has more than 1000000 lines, blank ones included',
    )
  await visitLines('\n'.repeat(1_000_000), () => {})
})
