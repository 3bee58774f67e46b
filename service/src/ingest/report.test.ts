import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { assertLinearInSlices } from '../../test/_growth.ts'
import { compileMapping } from './mqtt/payload-mapping.ts'
import { show } from './report.ts'

const LENGTH = 60

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

describe('a value in a sentence', () => {
  test('is its JSON, cut after 60 characters', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value)
        const expected = text.length > LENGTH ? `${text.slice(0, LENGTH)}…` : text
        assert.equal(show(value), expected)
      }),
    )
  })

  test('is nothing where there is nothing', () => {
    assert.equal(show(undefined), 'nothing')
  })

  test('may be of any depth, length and width', () => {
    for (const value of [
      nested(5_000),
      'x'.repeat(1e6),
      Array(1e6).fill(0),
      { ['k'.repeat(1e6)]: 1 },
    ])
      assert.equal(show(value).length, LENGTH + 1)
  })
})

const payload = (size: number, sensor: unknown) =>
  Buffer.from(JSON.stringify({ sensor, records: Array(size).fill(0) }))

describe('a message whose records all name a value of the whole message', () => {
  const mapping = compileMapping(
    {
      topic: 'site',
      records: '$.records',
      sensor: '$.sensor',
      values: '@',
    },
    { depth: 32, members: 3_000_000 },
  )
  test('costs no more than its length', async () => {
    await assertLinearInSlices(
      {
        'a list for a sensor': (size) => payload(size, Array(size).fill(0)),
        'an object for a sensor': (size) =>
          payload(size, Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, 0]))),
      },
      async (bytes) => mapping.read({ topic: 'site', payload: bytes, receivedAt: 0 }),
      { size: 1_000 },
    )
  })
})
