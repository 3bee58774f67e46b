import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { KeptDay } from './kept-day.ts'
import { OpenDayCache } from './open-day-cache.ts'

/** A day of which the cache only looks at the size. */
const dayOf = (size: number): KeptDay => ({ size }) as KeptDay

describe('the cache of open days', () => {
  test('removes the day that was not used for longest', () => {
    const cache = new OpenDayCache(250)
    const [first, second, third] = [dayOf(100), dayOf(100), dayOf(100)]

    cache.put('theme', 1, 20_000, first)
    cache.put('theme', 2, 20_000, second)
    cache.find('theme', 1, 20_000)
    cache.put('theme', 3, 20_000, third)

    assert.equal(cache.find('theme', 1, 20_000), first)
    assert.equal(cache.find('theme', 2, 20_000), undefined)
    assert.equal(cache.find('theme', 3, 20_000), third)
    assert.equal(cache.bytes, 200)
  })

  test('counts a day that has grown anew, and never holds more than its limit', () => {
    const step = fc.record({ source: fc.nat(5), size: fc.nat(120), finds: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const cache = new OpenDayCache(300)
        const days = Array.from({ length: 6 }, () => ({ size: 0 }))
        for (const { source, size, finds } of steps) {
          if (finds) cache.find('raw', source, 1)
          else {
            const day = days[source]!
            day.size = size
            cache.put('raw', source, 1, day as KeptDay)
          }
          const held = days.filter((_, at) => cache.find('raw', at, 1) !== undefined)
          assert.equal(
            cache.bytes,
            held.reduce((sum, day) => sum + day.size, 0),
          )
          assert.ok(cache.bytes <= 300)
        }
      }),
    )
  })

  test('keeps days of stations and of sensors with the same number apart', () => {
    const cache = new OpenDayCache(1_000)
    const [station, sensor] = [dayOf(1), dayOf(1)]

    cache.put('theme', 7, 1, station)
    cache.put('raw', 7, 1, sensor)

    assert.equal(cache.find('theme', 7, 1), station)
    assert.equal(cache.find('raw', 7, 1), sensor)
    assert.equal(new OpenDayCache(0).isOff, true)
  })
})
