import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { descriptorsFor, shareConnections, shareOfAddress } from './connection-share.ts'

const WANTED = { interface: 2000, broker: 1000 }

test('connections are shared in the proportion in which they are wanted', () => {
  assert.deepEqual(shareConnections(1_048_576, WANTED), WANTED)
  assert.deepEqual(shareConnections(1024, WANTED), { interface: 549, broker: 274 })
  assert.deepEqual(shareConnections(256, WANTED), { interface: 85, broker: 42 })
  assert.deepEqual(shareConnections(256, { interface: 100, broker: 0 }), {
    interface: 100,
    broker: 0,
  })
})

test('together they are never more than wanted, nor more than half of few files', () => {
  const count = fc.integer({ min: 1, max: 1_000_000 })
  fc.assert(
    fc.property(
      fc.integer({ min: 16, max: 2_000_000 }),
      count,
      count,
      (descriptors, one, other) => {
        const wanted = { interface: one, broker: other }
        const held = shareConnections(descriptors, wanted)
        assert.ok(held.interface >= 1 && held.interface <= one)
        assert.ok(held.broker >= 1 && held.broker <= other)
        const free = Math.max(descriptors / 2, descriptors - 200)
        assert.ok(held.interface + held.broker <= free + 2)
      },
    ),
  )
})

test('with the limit of files that is named all are held', () => {
  assert.equal(descriptorsFor(WANTED), 3200)
  assert.deepEqual(shareConnections(descriptorsFor(WANTED), WANTED), WANTED)
})

test('one address keeps its part of the connections where fewer are held', () => {
  assert.equal(shareOfAddress(500, 2000, 2000), 500)
  assert.equal(shareOfAddress(500, 549, 2000), 137)
  assert.equal(shareOfAddress(500, 3, 2000), 1)
  assert.equal(shareOfAddress(2000, 85, 2000), 85)
})
