import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { runs } from '../../test/_random.ts'
import { combineCrc32 } from './crc32.ts'

const checksum = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const length = fc.integer({ min: 0, max: 2 ** 52 })

/** Zero bytes, and what zlib gives for them alone and behind `head`. */
const LONG = { length: 2 ** 31 + 3, crc: 2_032_652_101, crcBehindHead: 3_490_223_991 }

describe('the CRC-32 of two texts one after the other', () => {
  test('is that of the whole', () => {
    const bytes = fc.uint8Array({ maxLength: 5_000, size: 'max' })
    const property = fc.property(bytes, bytes, (first, second) => {
      const whole = crc32(Buffer.concat([first, second]))
      assert.equal(combineCrc32(crc32(first), crc32(second), second.length), whole)
    })
    fc.assert(property, { numRuns: runs(1000) })
  })

  test('is that of the other when one is empty', () => {
    const property = fc.property(checksum, length, (crc, other) => {
      assert.equal(combineCrc32(crc, 0, 0), crc)
      assert.equal(combineCrc32(0, crc, other), crc)
    })
    fc.assert(property)
  })

  test('is that of the whole when the second has more than two gigabytes', () => {
    assert.equal(combineCrc32(crc32('head'), LONG.crc, LONG.length), LONG.crcBehindHead)
  })

  test('does not depend on where the second is split, however long it is', () => {
    const lengths = fc.tuple(length, length)
    const property = fc.property(
      checksum,
      checksum,
      checksum,
      lengths,
      (one, two, three, [m, n]) => {
        const inSteps = combineCrc32(combineCrc32(one, two, m), three, n)
        assert.equal(combineCrc32(one, combineCrc32(two, three, n), m + n), inSteps)
      },
    )
    fc.assert(property)
  })
})
