import { BlockList, isIP } from 'node:net'
import { parseNetwork } from './network.ts'

/** Tests whether an address is in one of the networks; an entry that is not a network matches none. */
export function networkMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const text of networks) {
    const network = parseNetwork(text)
    if (network === undefined) continue
    const { address, family, bits } = network
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, bits, family)
  }
  return (address) => {
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
}
