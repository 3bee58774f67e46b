import { isIP } from 'node:net'

/** An address, or the network of the addresses that share its first bits. */
export type Network = { address: string; family: 'ipv4' | 'ipv6'; bits: number | undefined }

/** Parses an address or a network such as `10.0.0.0/8`; undefined for any other text. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', bits, ...others] = text.split('/')
  const version = isIP(address)
  if (version === 0 || others.length > 0) return undefined
  const family = version === 6 ? 'ipv6' : 'ipv4'
  if (bits === undefined) return { address, family, bits }
  const isValid = /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32)
  return isValid ? { address, family, bits: Number(bits) } : undefined
}
