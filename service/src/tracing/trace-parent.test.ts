import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseTraceParent } from './trace-parent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test('a traceparent has a trace, a span and flags', () => {
  assert.deepEqual(parseTraceParent(`00-${TRACE}-${SPAN}-01`), {
    traceId: TRACE,
    spanId: SPAN,
    traceFlags: 1,
    isRemote: true,
  })
})

test('anything else is none', () => {
  const wrong = [
    undefined,
    '',
    `00-${TRACE}-${SPAN}`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    ` 00-${TRACE}-${SPAN}-01`,
  ]
  for (const header of wrong) assert.equal(parseTraceParent(header), undefined)
  fc.assert(fc.property(fc.string(), (header) => parseTraceParent(header) === undefined))
})
