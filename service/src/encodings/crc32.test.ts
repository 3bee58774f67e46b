import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { combineCrc32 } from './crc32.ts'

const checksum = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const length = fc.integer({ min: 0, max: 2 ** 52 })

describe('the CRC-32 of two texts one after the other', () => {
  test('is that of the whole', () => {
    const bytes = fc.uint8Array({ maxLength: 5_000, size: 'max' })
    const property = fc.property(bytes, bytes, (first, second) => {
      const whole = crc32(Buffer.concat([first, second]))
      assert.equal(combineCrc32(crc32(first), crc32(second), second.length), whole)
    })
    fc.assert(property, { numRuns: 1000 })
  })

  test('is that of the other when one is empty', () => {
    const property = fc.property(checksum, length, (crc, other) => {
      assert.equal(combineCrc32(crc, 0, 0), crc)
      assert.equal(combineCrc32(0, crc, other), crc)
    })
    fc.assert(property)
  })

  test('is that of the whole when the second has more than two gigabytes', () => {
    const count = 2 ** 31 + 3
    const head = crc32('head')

    assert.equal(combineCrc32(head, appendZeros(0, count), count), appendZeros(head, count))
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

/** The CRC-32 of a text that goes on with so many zero bytes. */
function appendZeros(crc: number, count: number): number {
  const block = Buffer.alloc(16 * 1024 * 1024)
  let appended = crc
  for (let left = count; left > 0; left -= block.length)
    appended = crc32(block.subarray(0, left), appended)
  return appended
}
