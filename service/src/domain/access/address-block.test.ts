import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressBlock, plainAddress } from './address-block.ts'

for (const [address, block] of [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['', ''],
] as const)
  test(`the block of "${address}" is "${block}"`, () => {
    assert.equal(addressBlock(address), block)
  })

test('an IPv4 address in the form of IPv6 is shown as IPv4', () => {
  assert.equal(plainAddress('::ffff:127.0.0.1'), '127.0.0.1')
  assert.equal(plainAddress('2001:DB8::1'), '2001:db8::1')
})
