import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { matchPath, parseAddress, writeAddress } from './address.ts'

test('an address is read back as it was written', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 }).filter((one) => one.isWellFormed())
  fc.assert(
    fc.property(fc.dictionary(text, text, { noNullPrototype: true }), (query) => {
      assert.deepEqual(parseAddress(writeAddress('/stations/1001,1002', query)), {
        path: '/stations/1001,1002',
        query,
      })
    }),
  )
})

test('empty members are left out', () => {
  assert.equal(
    writeAddress('/alarms', { level: '', status: undefined, page: '2' }),
    '#/alarms?page=2',
  )
})

test('an address without anything is the first page', () => {
  for (const hash of ['', '#', '#/', '#//']) assert.equal(parseAddress(hash).path, '/')
})

test('a path gives the parameters of its pattern', () => {
  assert.deepEqual(matchPath('/structures/:id/traffic', '/structures/7/traffic'), { id: '7' })
  assert.deepEqual(matchPath('/x/:name', '/x/a%20b'), { name: 'a b' })
  assert.deepEqual(matchPath('/x/:name', '/x/%'), { name: '%' })
  assert.equal(matchPath('/structures/:id', '/structures/7/traffic'), undefined)
  assert.equal(matchPath('/alarms', '/cameras'), undefined)
})
