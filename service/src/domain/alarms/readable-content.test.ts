import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { readableContent } from './readable-content.ts'

test('a blank separates each number of an alarm from its unit', () => {
  for (const [content, expected] of [
    ['应变: 301µε, level 1 threshold (300,+)', '应变: 301 µε, level 1 threshold (300,+)'],
    ['back to normal: Strain: -1.5e-7mm', 'back to normal: Strain: -1.5e-7 mm'],
    ['S: 5mm, level 2 rate 3mm/h, limit 2mm/h', 'S: 5 mm, level 2 rate 3 mm/h, limit 2 mm/h'],
    ['S: 5mm, level 2 rate +3mm/h, limit 2mm/h', 'S: 5 mm, level 2 rate +3 mm/h, limit 2 mm/h'],
    [
      'S: 9mm, level 1 at 90% of the design value 10mm',
      'S: 9 mm, level 1 at 90% of the design value 10 mm',
    ],
    [
      'S: 5mm, level 1 [4,+); T: 3m, level 1 [2,+)',
      'S: 5 mm, level 1 [4,+); T: 3 m, level 1 [2,+)',
    ],
    ['H: 80%, level 2 threshold (70,+)', 'H: 80 %, level 2 threshold (70,+)'],
  ] as const)
    assert.equal(readableContent(content, ['m', 'mm', 'µε', '%', '']), expected)
})

test('angles, names and texts of people stay as they are', () => {
  for (const content of [
    'Tilt: 5°, level 1 threshold (4,+)',
    'Point 5mm is wrong',
    'S: 5mmHg, level 1 threshold (4,+)',
    'S: no value',
    '',
  ])
    assert.equal(readableContent(content, ['mm', '°', '']), content)
})

test('nothing but blanks is added, whatever units people write', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 3 }), fc.double(), (name, units, value) => {
      const content = `${name}: ${value}${units[0] ?? ''}, level 1 threshold (1,+)`
      const readable = readableContent(content, units)

      assert.equal(readable.replaceAll(' ', ''), content.replaceAll(' ', ''))
    }),
    { numRuns: runs(200) },
  )
})
