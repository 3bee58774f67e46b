import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ArchiveBudget } from './archive-budget.ts'

const MEGABYTE = 2 ** 20
const LIMITS = { inflatedBytes: 500 * MEGABYTE, ratio: 10, members: 100, depth: 3 }

describe('the budget of an archive', () => {
  test('accepts up to each limit, and names the limit that is exceeded', () => {
    const small = new ArchiveBudget(MEGABYTE, LIMITS)
    const large = new ArchiveBudget(100 * MEGABYTE, LIMITS)

    small.addInflated(64 * MEGABYTE, 'a.zip > b')
    large.addInflated(500 * MEGABYTE, 'a.zip > b')
    small.addMembers(100, 'a.zip')
    small.enter(3, 'a.zip')

    assert.throws(
      () => large.addInflated(1, 'a.zip > b'),
      /^RefusedError: a\.zip > b: the archive inflates to more than 500 MB \(--max-inflated/,
    )
    assert.throws(
      () => small.addInflated(1, 'a.zip > b'),
      /more than 10 times its size \(--max-ratio/,
    )
    const members = new ArchiveBudget(1, LIMITS)
    assert.throws(() => members.addMembers(101, 'a.zip'), /a\.zip: .* more than 100 members/)
    const depth = new ArchiveBudget(1, LIMITS)
    assert.throws(() => depth.enter(4, 'a.zip > b'), /b: more than 3 archives within each other/)
  })

  test('after an excess every call throws the first reason', () => {
    const budget = new ArchiveBudget(1, LIMITS)
    assert.throws(() => budget.addMembers(101, 'a.zip'))

    assert.ok(budget.isExceeded)
    for (const step of [
      () => budget.addInflated(1, 'b'),
      () => budget.addMembers(0, 'b'),
      () => budget.enter(1, 'b'),
    ])
      assert.throws(step, /a\.zip: the archive has more than 100 members/)
  })

  test('does not depend on the chunks in which bytes arrive', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 200 * MEGABYTE }), { maxLength: 8 }),
        fc.integer({ min: 1, max: 100 * MEGABYTE }),
        (pieces, archiveBytes) => {
          const total = pieces.reduce((sum, bytes) => sum + bytes, 0)
          const most = Math.min(500 * MEGABYTE, Math.max(64 * MEGABYTE, 10 * archiveBytes))
          const budget = new ArchiveBudget(archiveBytes, LIMITS)
          const add = () => pieces.forEach((bytes) => budget.addInflated(bytes, 'a'))

          if (total > most) assert.throws(add)
          else add()
          assert.equal(budget.isExceeded, total > most)
        },
      ),
    )
  })
})
