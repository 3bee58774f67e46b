import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restartDelay } from './restart-delay.ts'

test('a worker that ends again and again is started after 1 to 30 seconds', () => {
  const delays: number[] = []
  for (let at = 0; at < 8; at++) delays.push(restartDelay(delays.at(-1), 500))

  assert.deepEqual(delays, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
})

test('a worker that ran for a minute is started after a second again', () => {
  assert.equal(restartDelay(30_000, 60_000), 1000)
  assert.equal(restartDelay(30_000, 59_999), 30_000)
})
