/**
 * The address as one sender has it: an IPv4 address itself, of an IPv6 address its /64, since who
 * has one address of such a network has all of them.
 */
export function addressBlock(address: string | undefined): string {
  const plain = plainAddress(address)
  if (!plain.includes(':')) return plain
  const [head = '', tail] = plain.split('%', 1)[0]!.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const width = left.length + right.length + (right.at(-1)?.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - width) }, () => '0')
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}

/**
 * An IPv4 address without the form that sockets for both versions give it; empty where a socket
 * that has gone knows none any more.
 */
export const plainAddress = (address: string | undefined): string =>
  (address ?? '').toLowerCase().replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '')
