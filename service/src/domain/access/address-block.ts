/**
 * Returns the block of addresses of one sender: an IPv4 address, or the /64 network of an IPv6
 * address, because a sender usually has all addresses of that network.
 */
export function addressBlock(address: string | undefined): string {
  const plain = plainAddress(address)
  if (!plain.includes(':')) return plain
  const [head = '', tail] = plain.replace(/%.*$/s, '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const width = left.length + right.length + (right.at(-1)?.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - width) }, () => '0')
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}

/**
 * Returns an address in lower case, an IPv4-mapped one as IPv4; empty for a closed socket without
 * an address.
 */
export const plainAddress = (address: string | undefined): string =>
  (address ?? '').toLowerCase().replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '')
