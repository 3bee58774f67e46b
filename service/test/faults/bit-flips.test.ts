import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BitFlips } from './_bit-flips.ts'
import { randomNumbers } from './_random.ts'

const FLIPS = 40

describe('a bit that has turned in the database file', () => {
  test('never changes an answer or loses a record in silence, and doctor finds what fails', async (t) => {
    const seed = Date.now() % 2 ** 31
    const random = randomNumbers(seed)
    await using database = await BitFlips.open()
    t.diagnostic(`seed ${seed}`)

    for (let at = 0; at < FLIPS; at++) {
      const offset = Math.floor(random() * database.size)
      const bit = Math.floor(random() * 8)
      const { failed, wrong, found } = await database.flip(offset, bit)

      const place = `seed ${seed}, byte ${offset}, bit ${bit}`
      assert.deepEqual(wrong, [], place)
      if (failed.length > 0) assert.ok(found.length > 0, `${place}: ${failed.join(', ')}`)
    }
  })
})
