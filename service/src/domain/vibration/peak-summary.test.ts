import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { RefusedError } from '../../errors/refused-error.ts'
import { peakSummary } from './peak-summary.ts'

describe('a peak summary', () => {
  test('has the signed peak, the span and the root mean square', () => {
    const summary = peakSummary(Float64Array.of(1, -7, 3, 5, 4))

    assert.deepEqual(summary, { pv: -7, ppv: 12, trms: Math.sqrt(100 / 5) })
  })

  test('takes the first of two equal peaks', () => {
    assert.equal(peakSummary(Float64Array.of(1, -3, 3)).pv, -3)
    assert.equal(peakSummary(Float64Array.of(1, 3, -3)).pv, 3)
  })

  test('keeps the mean in the root mean square', () => {
    assert.deepEqual(peakSummary(Float64Array.of(-2, -2, -2)), { pv: -2, ppv: 0, trms: 2 })
  })

  test('of a waveform at rest is zero', () => {
    assert.deepEqual(peakSummary(Float64Array.of(0, -0, 0)), { pv: 0, ppv: 0, trms: 0 })
  })

  test('of a sine over whole periods has amplitude / √2', () => {
    const samples = Float64Array.from({ length: 1000 }, (_, n) => 3 * Math.sin((Math.PI * n) / 50))

    assert.ok(Math.abs(peakSummary(samples).trms - 3 / Math.SQRT2) < 1e-14)
  })

  test('is exact over a million samples', () => {
    assert.equal(peakSummary(new Float64Array(1_000_000).fill(0.1)).trms, 0.1)
  })

  test('neither overflows nor underflows', () => {
    assert.equal(peakSummary(Float64Array.of(3e200, 3e200)).trms, 3e200)
    assert.equal(peakSummary(Float64Array.of(3e-200, 3e-200)).trms, 3e-200)
    assert.equal(peakSummary(Float64Array.of(5e-324)).trms, 5e-324)
    assert.equal(peakSummary(Float64Array.of(Number.MAX_VALUE)).trms, Number.MAX_VALUE)
  })

  test('lies between its samples', () => {
    const sample = fc.double({ min: -1e6, max: 1e6, noNaN: true })
    const property = fc.property(fc.array(sample, { minLength: 1 }), (numbers) => {
      const { pv, ppv, trms } = peakSummary(Float64Array.from(numbers))
      const peak = Math.max(...numbers.map(Math.abs))
      assert.equal(Math.abs(pv), peak)
      assert.ok(numbers.includes(pv))
      assert.equal(ppv, Math.max(...numbers) - Math.min(...numbers))
      assert.ok(trms <= peak * (1 + 1e-15) && trms >= peak / Math.sqrt(numbers.length) / 1.000001)
    })
    fc.assert(property)
  })

  test('of no samples is refused', () => {
    const expected = new RefusedError('invalid', 'samples is empty, expected at least one')

    assert.throws(() => peakSummary(new Float64Array(0)), expected)
  })
})
