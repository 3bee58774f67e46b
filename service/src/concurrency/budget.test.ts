import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Budget } from './budget.ts'

test('requests beyond the limit wait in their order, also one that would fit', () => {
  const budget = new Budget(10)
  const granted: string[] = []

  budget.take(6, () => granted.push('six'))
  budget.take(5, () => granted.push('five'))
  budget.take(1, () => granted.push('one'))

  assert.deepEqual([granted, budget.isShort, budget.tryTake(1)], [['six'], true, false])
  budget.release(6)
  assert.deepEqual([granted, budget.isShort], [['six', 'five', 'one'], false])
})

test('more than the limit is granted alone', () => {
  const budget = new Budget(10)
  const granted: string[] = []

  budget.take(1, () => granted.push('small'))
  budget.take(50, () => granted.push('large'))
  budget.take(1, () => granted.push('behind'))
  budget.release(1)

  assert.deepEqual(granted, ['small', 'large'])
  budget.release(50)
  assert.deepEqual(granted, ['small', 'large', 'behind'])
})

test('a limit that grows applies to those that wait at the next release', () => {
  let limit = 2
  const budget = new Budget(() => limit)
  const granted: number[] = []
  for (const amount of [1, 1, 3]) budget.take(amount, () => granted.push(amount))

  limit = 10
  budget.release(1)

  assert.deepEqual(granted, [1, 1, 3])
})
