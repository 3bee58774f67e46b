import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { hourly, reading, run } from './_run.ts'
import type { ItemValue } from './rule.ts'
import { compileSpike } from './spike.ts'

const rule = compileSpike({ deviation: 2, records: 5 })
const SPIKE = { quality: 'uncertain', reason: 'spike' }

/** Which of the readings are spikes. */
const spikesOf = (readings: readonly ItemValue[], one = rule) =>
  run(one, readings).qualities.map((quality) => quality !== undefined)

/** Which of the values, one an hour, are spikes: their places. */
const placesOf = (...values: number[]) =>
  spikesOf(hourly(...values)).flatMap((isSpike, place) => (isSpike ? [place] : []))

describe('a spike', () => {
  test('is farther than the deviation from the median of the newest values', () => {
    assert.deepEqual(placesOf(1, 2, 1, 2, 1, 3, 9, 1, -7, 2), [6, 8])
    assert.deepEqual(run(rule, hourly(1, 1, 1, 1, 9)).qualities.at(-1), SPIKE)
  })

  test('is not one at the deviation, apart from the rounding of doubles', () => {
    const tenth = compileSpike({ deviation: 0.1, records: 3 })

    assert.deepEqual(spikesOf(hourly(1, 1, 1.1), tenth), [false, false, false])
    assert.deepEqual(spikesOf(hourly(1, 1, 1.1001), tenth), [false, false, true])
  })

  test('is not told before as many values have come', () => {
    assert.deepEqual(placesOf(1, 1, 1, 99), [])
    assert.deepEqual(placesOf(1, 1, 1, 99, 99), [4])
  })

  test('raises no alarm', () => {
    assert.equal(rule.alarm, null)
    assert.deepEqual(run(rule, hourly(1, 1, 1, 1, 9)).outcomes, Array(5).fill(undefined))
  })

  test('is bad where the batch says so', () => {
    const bad = compileSpike({ deviation: 2, records: 3, quality: 'bad' })

    assert.deepEqual(run(bad, hourly(1, 1, 9)).qualities.at(-1), { ...SPIKE, quality: 'bad' })
  })

  test('that is corrected is one no more, and leaves no trace', () => {
    const before = [0, 1, 2, 3].map((time) => reading(time, 1))
    const corrected = [...before, reading(5, 9), reading(6, 9), reading(6, 1)]
    const right = [...before, reading(5, 9), reading(6, 1)]

    assert.deepEqual(spikesOf(corrected).slice(4), [true, true, false])
    assert.deepEqual(run(rule, corrected).state, run(rule, right).state)
  })

  test('is never a late value', () => {
    const readings = [...hourly(1, 1, 1, 1, 1), reading(1, 99)]

    assert.equal(spikesOf(readings).at(-1), false)
  })
})

const settings = fc.record({
  deviation: fc.integer({ min: 1, max: 5 }),
  records: fc.constantFrom(3, 5, 7, 9, 11, 13, 15),
})

test('a lasting step is a spike for less than half of the records that count', () => {
  const steps = fc.tuple(fc.nat(30), fc.integer({ min: 10, max: 99 }), fc.boolean())
  const property = fc.property(settings, steps, (settings, [before, height, isDown]) => {
    const step = isDown ? -height : height
    const values = [...Array<number>(before).fill(0), ...Array<number>(40).fill(step)]
    const spikes = spikesOf(hourly(...values), compileSpike(settings))

    const half = (settings.records - 1) / 2
    const isBefore = before >= half
    assert.ok(spikes.filter(Boolean).length <= half)
    assert.deepEqual(spikes.slice(before + half).filter(Boolean), [])
    if (isBefore && before + 1 >= settings.records) assert.equal(spikes[before], true)
  })
  fc.assert(property, { numRuns: runs(300) })
})

test('values that stay within the deviation have no spikes, whatever they do', () => {
  const property = fc.property(
    settings,
    fc.array(fc.double({ min: -0.5, max: 0.5, noNaN: true })),
    (settings, shares) => {
      const readings = hourly(...shares.map((share) => share * settings.deviation))

      assert.ok(!spikesOf(readings, compileSpike(settings)).includes(true))
    },
  )
  fc.assert(property, { numRuns: runs(300) })
})

test('remembers as many values as it counts, however many come', () => {
  const { state } = run(rule, hourly(...Array.from({ length: 1000 }, (_, index) => index)))

  assert.deepEqual(state?.values, [995, 996, 997, 998, 999])
})
