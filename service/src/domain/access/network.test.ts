import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNetwork } from './network.ts'

test('a network is an address, with or without a number of bits', () => {
  assert.deepEqual(parseNetwork('10.0.0.0/8'), { address: '10.0.0.0', family: 'ipv4', bits: 8 })
  assert.deepEqual(parseNetwork('::1'), { address: '::1', family: 'ipv6', bits: undefined })
  for (const text of ['', 'a', '10.0.0.0/33', '::1/129', '10.0.0.0/8/8', '10.0.0.0/', '1.2.3.4/-1'])
    assert.equal(parseNetwork(text), undefined, text)
})
