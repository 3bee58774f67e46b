import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPrivate } from './private-address.ts'

test('addresses of this machine and of own networks are private, with brackets or without', () => {
  const addresses = `127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.1.1
    100.64.0.1 0.0.0.0 ::1 [::1] :: fe80::1 fd00::1 ::ffff:10.0.0.1 [::ffff:127.0.0.1]`

  for (const address of addresses.split(/\s+/)) assert.equal(isPrivate(address), true, address)
})

test('other addresses are not, and a name is none', () => {
  const addresses = `8.8.8.8 172.32.0.1 172.15.0.1 192.169.0.1 11.0.0.1 100.128.0.1 2001:db8::1
    ::ffff:8.8.8.8 localhost example.org`

  for (const address of addresses.split(/\s+/)) assert.equal(isPrivate(address), false, address)
})
