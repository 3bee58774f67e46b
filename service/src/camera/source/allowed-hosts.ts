import { lookup as lookupDns } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkMatcher } from '../../domain/access/network-matcher.ts'
import { parseNetwork } from '../../domain/access/network.ts'
import { SourceError } from './opened-source.ts'
import { isHostName } from './parse-source.ts'

/** Returns the addresses of a name, the preferred one first. */
export type Lookup = (name: string) => Promise<readonly string[]>

/** Returns the address to connect to for a host; throws a SourceError if none is allowed. */
export type PinAddress = (host: string, signal: AbortSignal) => Promise<string>

/** Unspecified, this machine, link-local (metadata of clouds), multicast, reserved. */
const NEVER_BY_NAME_4 = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4']

/** The same of version 6, and IPv4 in addresses that are no longer in use. */
const NEVER_BY_NAME_6 = ['::/96', 'fe80::/10', 'fec0::/10', 'ff00::/8']

/** The network by which translators of RFC 6052 lead to a network of IPv4. */
function translated(network: string): string {
  const [address, bits] = network.split('/')
  return `64:ff9b::${address}/${96 + Number(bits)}`
}

/** Addresses that a name never leads to, unless a network of the list has them. */
const isNeverByName = networkMatcher([
  ...NEVER_BY_NAME_4,
  ...NEVER_BY_NAME_4.map(translated),
  ...NEVER_BY_NAME_6,
])

/** Whether a text can be an entry of the list: a network, an address, or the name of a host. */
export const isHostEntry = (text: string): boolean =>
  parseNetwork(text) !== undefined || isHostName(nameOf(text))

/**
 * Allows the hosts of a list: networks such as `10.0.0.0/8`, addresses, and names.
 *
 * A host is resolved once. A name of the list may have every address but those of this machine,
 * link-local and multicast ones; another name needs an address in a network of the list. IPv4 in IPv6
 * (`::ffff:127.0.0.1`) counts as IPv4.
 */
export function hostAllowance(hosts: readonly string[], lookup: Lookup = lookupAll): PinAddress {
  const isInNetworks = networkMatcher(hosts)
  const names = new Set(hosts.map(nameOf))
  return async (host, signal) => {
    const isName = isIP(host) === 0
    const addresses = isName ? await resolve(host, lookup, signal) : [host]
    const mayHaveAny = isName && names.has(nameOf(host))
    const isAllowed = (address: string) =>
      isInNetworks(address) || (mayHaveAny && isIP(address) !== 0 && !isNeverByName(address))
    const allowed = addresses.find(isAllowed)
    if (allowed !== undefined) return allowed
    throw new SourceError('The address of the camera is not in cameras.hosts.')
  }
}

const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '')

async function resolve(
  name: string,
  lookup: Lookup,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(new SourceError('The name of the camera was not resolved in time.'))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await Promise.race([lookup(name), promise])
  } catch (error) {
    if (error instanceof SourceError) throw error
    throw new SourceError('The name of the camera cannot be resolved.', { cause: error })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function lookupAll(name: string): Promise<string[]> {
  const found = await lookupDns(name, { all: true })
  return found.map(({ address }) => address)
}
