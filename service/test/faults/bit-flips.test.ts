import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BitFlips } from './_bit-flips.ts'
import { randomNumbers, runs } from '../_random.ts'

const FLIPS = runs(1_000, 15)
const ROW_FLIPS = runs(400, 15)

/** An open alarm, and the bytes from its source on: all that lists choose and sort by, and its place in an index. */
const SOURCE = 'source 41'
const ROW_BYTES = 48

describe('a flipped bit in the database file', () => {
  test('never drops an open alarm from a list', async () => {
    const random = randomNumbers()
    await using database = await BitFlips.open()
    const places = database.placesOf(SOURCE)
    assert.ok(places.length > 0)

    for (let flips = 0; flips < ROW_FLIPS; flips++) {
      const place = places[flips % places.length] ?? 0
      const at = Math.floor(random() * ROW_BYTES)
      const bit = Math.floor(random() * 8)
      const { wrong } = await database.flip(place + at, bit)
      assert.deepEqual(wrong, [], `byte ${at} from ${place} on, bit ${bit}`)
    }
  })

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
