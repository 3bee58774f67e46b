import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DamageError } from '../../errors/damage-error.ts'
import { decodeInstants, encodeInstants } from './instants-codec.ts'

const ascending = fc
  .tuple(
    fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
    fc.array(fc.oneof(fc.constant(60_000), fc.integer({ min: 1, max: 2 ** 40 })), {
      maxLength: 200,
    }),
  )
  .map(([first, steps]) => {
    const instants = [first]
    for (const step of steps) instants.push(instants.at(-1)! + step)
    return instants
  })

describe('encoded instants', () => {
  it('decode to the same instants', () => {
    fc.assert(
      fc.property(ascending, (instants) => {
        assert.deepEqual([...decodeInstants(encodeInstants(instants))], instants)
      }),
    )
  })

  it('take a few bytes for regular records', () => {
    const minutes = Array.from({ length: 1440 }, (_, minute) => 1_772_323_200_000 + minute * 60_000)
    assert.ok(encodeInstants(minutes).length <= 14)
  })

  it('can be none', () => {
    assert.deepEqual([...decodeInstants(encodeInstants([]))], [])
  })

  it('must ascend', () => {
    assert.throws(() => encodeInstants([2, 2]), /ascend/)
    assert.throws(() => encodeInstants([2, 1]), /ascend/)
  })

  it('of random bytes decode or end in an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          const instants = decodeInstants(bytes)
          for (let at = 1; at < instants.length; at++) assert.ok(instants[at]! >= instants[at - 1]!)
        } catch (error) {
          assert.ok(error instanceof DamageError)
        }
      }),
    )
  })

  it('are refused with a missing or an extra byte', () => {
    const bytes = encodeInstants([1, 2, 5, 9])
    assert.throws(() => decodeInstants(bytes.subarray(0, -1)), DamageError)
    assert.throws(() => decodeInstants(Uint8Array.of(...bytes, 0)), DamageError)
  })
})
