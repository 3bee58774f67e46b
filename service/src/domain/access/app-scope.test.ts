import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APP_SCOPES, findAppScope, includesScope } from './app-scope.ts'

test('a scope includes itself and those before it', () => {
  const included = APP_SCOPES.map((held) => APP_SCOPES.filter((one) => includesScope(held, one)))

  assert.deepEqual(included, [['read'], ['read', 'operate'], ['read', 'operate', 'admin']])
})

test('a scope is found by its exact name only', () => {
  assert.deepEqual(['read', 'operate', 'admin'].map(findAppScope), APP_SCOPES)
  assert.deepEqual(
    ['', 'Admin', 'read ', 'constructor', 'all'].map(findAppScope),
    Array(5).fill(undefined),
  )
})
