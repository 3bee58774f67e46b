import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordKey } from '../records/record-text.ts'
import { rewriteMarks } from './rewrite-marks.ts'

const BAD = { quality: 'bad', reason: 'cable cut', origin: 'sender' }
const UNCERTAIN = { quality: 'uncertain', reason: '', origin: 'rule' }

test('marks get the new keys, and bad values the new unit', () => {
  const rewrites = new Map([
    [recordKey('strain'), { key: recordKey('应变'), convert: (value: number) => value / 1000 }],
    [recordKey('old'), { key: recordKey('__proto__') }],
  ])
  const marks = JSON.stringify({
    strain: { ...BAD, value: 5000 },
    old: UNCERTAIN,
    other: UNCERTAIN,
  })

  assert.equal(
    rewriteMarks(marks, rewrites),
    `{"应变":${JSON.stringify({ ...BAD, value: 5 })},"__proto__":${JSON.stringify(UNCERTAIN)},"other":${JSON.stringify(UNCERTAIN)}}`,
  )
})

const convert = (value: number): number => value * 1e300

test('a bad value that the new unit cannot hold is refused', () => {
  const rewrites = new Map([[recordKey('v'), { key: recordKey('v'), convert }]])

  assert.throws(
    () => rewriteMarks(JSON.stringify({ v: { ...BAD, value: 1e300 } }), rewrites),
    /"v":1e\+300 has no finite value/,
  )
})
