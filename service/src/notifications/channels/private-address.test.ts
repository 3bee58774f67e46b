import assert from 'node:assert/strict'
import type { lookup } from 'node:dns'
import { promisify } from 'node:util'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../test/_random.ts'
import { isPrivate, publicLookup } from './private-address.ts'

test('addresses of networks that are not public are private, with brackets or without', () => {
  const addresses = `127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254
    100.64.0.1 0.0.0.0 0.1.2.3 192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255
    198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
    ::1 [::1] :: fe80::1 fe80::1%eth0 febf::1 fec0::1 fd00::1 fc00::1 ff02::1 [ff0e::1]
    ::ffff:10.0.0.1 [::ffff:127.0.0.1] ::ffff:7f00:1 ::10.0.0.1 ::8.8.8.8
    64:ff9b::10.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 64:ff9b:1::8.8.8.8
    2002:7f00:1:: 2002:808:808::1 2001:0:1::1 2001:db8::1 2001:2::1 3fff::1 100::1`

  for (const address of addresses.split(/\s+/)) assert.equal(isPrivate(address), true, address)
})

test('other addresses and names are not private', () => {
  const addresses = `8.8.8.8 172.32.0.1 172.15.0.1 192.169.0.1 11.0.0.1 100.128.0.1 198.20.0.1
    223.255.255.255 192.0.1.1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2606:4700::1111 2001:4860::8888
    2003::1 fbff::1 localhost example.org 1.2.3 10.0.0.1.example`

  for (const address of addresses.split(/\s+/)) assert.equal(isPrivate(address), false, address)
})

/** An IPv4 address in sixteen bits twice, as it stands in an IPv6 address. */
const groups = (bytes: readonly number[]): string =>
  [0, 2].map((at) => (bytes[at]! * 256 + bytes[at + 1]!).toString(16)).join(':')

describe('an IPv4 address within an IPv6 one', () => {
  const bytes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))

  test('is as private as the IPv4 address, mapped or translated', () => {
    fc.assert(
      fc.property(bytes, fc.constantFrom('::ffff:', '64:ff9b::'), (address, prefix) => {
        const dotted = address.join('.')
        for (const text of [`${prefix}${dotted}`, `[${prefix}${groups(address)}]`])
          assert.equal(isPrivate(text), isPrivate(dotted), text)
      }),
      { numRuns: runs(2_000) },
    )
  })

  test('is private in tunnels and relays', () => {
    fc.assert(
      fc.property(bytes, (address) => {
        const text = groups(address)
        for (const whole of [`2002:${text}::1`, `2001:0:${text}::`, `64:ff9b:1::${text}`])
          assert.equal(isPrivate(whole), true, whole)
      }),
    )
  })
})

const address = fc.constantFrom('10.0.0.1', '8.8.8.8', '::1', '2606:4700::1111', '64:ff9b::a00:1')

test('a name has its public addresses, or none', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(address, { maxLength: 5 }), fc.boolean(), async (texts, all) => {
      const found = texts.map((text) => ({ address: text, family: text.includes(':') ? 6 : 4 }))
      const resolve = ((_name: string, _options: object, done: (...results: unknown[]) => void) =>
        done(null, found)) as unknown as typeof lookup
      const asked = promisify((done: (error: Error | null, given?: unknown) => void) =>
        publicLookup(resolve)('a.example', { all }, (error, given) => done(error, given)),
      )()

      const open = found.filter((one) => !isPrivate(one.address))
      if (open.length === 0) await assert.rejects(asked, /the address is private/)
      else assert.deepEqual(await asked, all ? open : open[0]!.address)
    }),
  )
})
