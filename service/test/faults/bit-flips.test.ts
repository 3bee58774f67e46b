import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BitFlips } from './_bit-flips.ts'
import { randomNumbers, runs } from '../_random.ts'

const FLIPS = runs(1_000, 15)

describe('a flipped bit in the database file', () => {
  test('never changes a response or loses a record silently, and doctor finds what fails', async () => {
    const random = randomNumbers()
    await using database = await BitFlips.open()

    for (let at = 0; at < FLIPS; at++) {
      const offset = Math.floor(random() * database.size)
      const bit = Math.floor(random() * 8)
      const { failed, wrong, found } = await database.flip(offset, bit)

      const place = `byte ${offset}, bit ${bit}`
      assert.deepEqual(wrong, [], place)
      if (failed.length > 0) assert.ok(found.length > 0, `${place}: ${failed.join(', ')}`)
    }
  })
})
