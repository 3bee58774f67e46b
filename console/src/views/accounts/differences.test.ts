import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareMembers } from './differences.ts'

test('members of both are side by side, with those that differ marked', () => {
  assert.deepEqual(
    compareMembers(
      { role: 'viewer', place: { id: 1, name: null } },
      { role: 'operator', place: { id: 1 } },
    ),
    [
      { path: 'role', before: 'viewer', after: 'operator', isChanged: true },
      { path: 'place.id', before: 1, after: 1, isChanged: false },
      { path: 'place.name', before: null, after: undefined, isChanged: true },
    ],
  )
})

test('nothing is marked where only one of them is known', () => {
  assert.deepEqual(compareMembers(null, { ids: [1, 2] }), [
    { path: 'ids', before: undefined, after: [1, 2], isChanged: false },
  ])
})

test('a value that has no members is shown as it is', () => {
  assert.deepEqual(compareMembers('a', 'b'), [
    { path: '·', before: 'a', after: 'b', isChanged: true },
  ])
})
