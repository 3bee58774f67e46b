import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { SendError } from '../channel.ts'

/** Networks that are not public, or whose packets are forwarded elsewhere (IANA registries). */
const NETWORKS: readonly string[] = [
  // This machine, private networks, shared address space, link-local addresses.
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16',
  ':: ::1 fc00::/7 fe80::/10 fec0::/10',
  // Protocol assignments, documentation, benchmarks.
  '192.0.0.0/24 192.0.2.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24',
  '100::/64 2001:2::/48 2001:10::/28 2001:db8::/32 3fff::/20 5f00::/16',
  // Multicast, and reserved for future use.
  '224.0.0.0/4 240.0.0.0/4 ff00::/8',
  // IPv4 within IPv6: relays, tunnels, local translators, compatible addresses.
  '192.88.99.0/24 2002::/16 2001::/32 64:ff9b:1::/48 ::/96',
].flatMap((line) => line.split(' '))

/** The translator of RFC 6052 leads to the IPv4 address in its last 32 bits. */
const TRANSLATOR = '64:ff9b::'

const PRIVATE = new BlockList()
for (const network of NETWORKS) {
  const [address = '', prefix] = network.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (prefix === undefined) PRIVATE.addAddress(address, family)
  else PRIVATE.addSubnet(address, Number(prefix), family)
  if (family === 'ipv6') continue
  const inside = `${TRANSLATOR}${address}`
  PRIVATE.addSubnet(inside, 96 + Number(prefix), 'ipv6')
}

/** Whether an address is of this machine or of a network that is not public. */
export function isPrivate(address: string): boolean {
  const [plain = ''] = address.replace(/^\[|\]$/g, '').split('%')
  const family = isIP(plain)
  return family !== 0 && PRIVATE.check(plain, family === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Looks up the public addresses of a name; fails where it has none.
 *
 * The connection uses these addresses, so that no other DNS response can change them.
 */
export const publicLookup =
  (resolve: typeof lookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '')
      const open = addresses.filter(({ address }) => !isPrivate(address))
      const [first] = open
      if (first === undefined) return callback(refusePrivate(), '')
      if (options.all === true) return callback(null, open)
      callback(null, first.address, first.family)
    })
  }

export const lookupPublic = publicLookup(lookup)

export const refusePrivate = (): SendError =>
  new SendError('the address is private, which notifications.allowPrivateAddresses does not allow')
