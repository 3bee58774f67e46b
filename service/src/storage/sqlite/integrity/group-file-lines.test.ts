import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupFileLines } from './group-file-lines.ts'

const nameOf = (page: number) => ({ 12: 'theme_records', 13: 'alarms' })[page]

test('errors of one table are one sentence with their number', () => {
  const lines = [
    '*** in database main ***\nTree 12 page 345: btreeInitPage() returns error code 11',
    'Tree 12 page 346: btreeInitPage() returns error code 11',
    'Tree 13 page 9 cell 2: Rowid 7 out of order',
    'Tree 12 page 345 cell 1: Offset 9 out of range',
    'Page 77: never used',
    'the table devices is malformed',
    'the table users is malformed',
  ]

  assert.deepEqual(groupFileLines(lines, nameOf), [
    'The database file, theme_records: Tree 12 page 345: btreeInitPage() returns error code 11 (and 2 more errors)',
    'The database file, alarms: Tree 13 page 9 cell 2: Rowid 7 out of order',
    'The database file: Page 77: never used',
    'The database file: the table devices is malformed',
    'The database file: the table users is malformed',
  ])
})

test('lines without a table are one sentence, and none is none', () => {
  assert.deepEqual(groupFileLines(['Page 1: x', 'Tree 99 page 3: y'], nameOf), [
    'The database file: Page 1: x (and 1 more error)',
  ])
  assert.deepEqual(groupFileLines([], nameOf), [])
})
