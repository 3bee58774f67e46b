import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { formatPathName, parsePathName } from './path-name.ts'

test('the name of a stream is the camera and the quality', () => {
  assert.equal(formatPathName({ camera: 12, quality: 'h' }), '12-h')
  assert.deepEqual(parsePathName('3040-d'), { camera: 3040, quality: 'd' })
})

test('a name that is written is read, and any other is not', () => {
  const part = fc.constantFrom('0', '1', '12', '-', 'h', 'd', 'live/', ' ', '\n', '٣')
  const name = fc.oneof(
    fc
      .record({ camera: fc.maxSafeNat(), quality: fc.constantFrom('h' as const, 'd' as const) })
      .map(formatPathName),
    fc.array(part, { maxLength: 6 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(name, (text) => {
      const parsed = parsePathName(text)
      if (parsed === undefined) assert.doesNotMatch(text, /^[1-9]\d{0,14}-[hd]$/)
      else assert.equal(formatPathName(parsed), text)
    }),
    { numRuns: runs(5_000) },
  )
})

test('names that look alike are not those of a camera', () => {
  for (const name of [
    '01-h',
    '1-H',
    '1-h ',
    '1-h\n',
    '-1-h',
    '1',
    '1-',
    'h-1',
    '9007199254740993-h',
  ])
    assert.equal(parsePathName(name), undefined, name)
})
