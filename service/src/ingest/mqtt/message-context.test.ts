import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { describePlace, formatContext, parseContext } from './message-context.ts'

test('parsing a formatted context gives it back', () => {
  const indexes = fc.option(fc.uniqueArray(fc.nat(10_000)), { nil: undefined })
  fc.assert(
    fc.property(fc.string(), indexes, (topic, indexes) => {
      assert.deepEqual(parseContext(formatContext({ topic, indexes })), { topic, indexes })
    }),
  )
})

test('another text is no context', () => {
  for (const text of [
    undefined,
    '',
    '{',
    'null',
    '[]',
    '{}',
    '{"topic":1}',
    '{"topic":"a","indexes":["x"]}',
  ])
    assert.equal(parseContext(text), undefined, String(text))
})

test('a place names the topic, and the records where there are several', () => {
  assert.equal(describePlace('site/a', undefined), 'site/a')
  assert.equal(describePlace('site/a', [1, 3]), 'site/a#1,3')
})
