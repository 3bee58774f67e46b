import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hourly, run } from './_run.ts'
import { compileFrozen } from './frozen.ts'
import { compileRange } from './range.ts'

describe('the quality that a range gives a value outside it', () => {
  const range = { low: -50, high: 50, level: 3 }
  const values = hourly(-50, 51, 50)

  test('is bad, and that of a value inside is left as it is', () => {
    const { qualities } = run(compileRange(range), values)

    assert.deepEqual(qualities, [undefined, { quality: 'bad', reason: 'outOfRange' }, undefined])
  })

  test('is what the batch says, and the violation stays', () => {
    const uncertain = run(compileRange({ ...range, quality: 'uncertain' }), values)
    const good = run(compileRange({ ...range, quality: 'good' }), values)

    assert.deepEqual(uncertain.qualities[1], { quality: 'uncertain', reason: 'outOfRange' })
    assert.deepEqual(good.qualities, [undefined, undefined, undefined])
    assert.deepEqual(good.outcomes, uncertain.outcomes)
    assert.equal(typeof good.outcomes[1], 'object')
  })
})

describe('the quality that a frozen rule gives a value', () => {
  const frozen = { hours: 2, epsilon: 0.1, records: 3, level: 4 }
  const values = hourly(1, 1, 1, 1, 2, 2)

  test('is uncertain from the record that it finds until the value moves', () => {
    const { qualities } = run(compileFrozen(frozen), values)

    const mark = { quality: 'uncertain', reason: 'frozen' }
    assert.deepEqual(qualities, [undefined, undefined, mark, mark, undefined, undefined])
  })

  test('is what the batch says, and the violation stays', () => {
    const bad = run(compileFrozen({ ...frozen, quality: 'bad' }), values)
    const good = run(compileFrozen({ ...frozen, quality: 'good' }), values)

    assert.deepEqual(bad.qualities[2], { quality: 'bad', reason: 'frozen' })
    assert.deepEqual(good.qualities, Array(6).fill(undefined))
    assert.deepEqual(good.outcomes, bad.outcomes)
  })
})
