import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { SendError } from '../channel.ts'

const PRIVATE = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv6')

/** Whether an address is of this machine or of a network without a way to the outside. */
export function isPrivate(address: string): boolean {
  const family = isIP(address.replace(/^\[|\]$/g, ''))
  const plain = address.replace(/^\[|\]$/g, '')
  return family !== 0 && PRIVATE.check(plain, family === 6 ? 'ipv6' : 'ipv4')
}

/** Looks names up and refuses those that lead to a private address, at the moment of connecting. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '')
    const open = addresses.filter(({ address }) => !isPrivate(address))
    const [first] = open
    if (first === undefined) return callback(refusePrivate(), '')
    if (options.all === true) return callback(null, open)
    callback(null, first.address, first.family)
  })
}

export const refusePrivate = (): SendError =>
  new SendError('the address is a private one, and telling.privateAddresses refuses those')
