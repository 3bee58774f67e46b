import type { IncomingMessage } from 'node:http'
import { plainAddress } from '../../domain/access/address-block.ts'
import { matcher } from '../security/connection-limits.ts'

/** Says the address of a client as trusted proxies define it: the nearest one that is none of them. */
export function clientAddress(proxies: readonly string[]): (request: IncomingMessage) => string {
  const isProxy = matcher(proxies)
  return ({ socket, headers }) => {
    const remote = plainAddress(socket.remoteAddress ?? '')
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
    const named = forwarded.map((one) => plainAddress(one.trim())).filter((one) => one !== '')
    const chain = [remote, ...named.toReversed()]
    return chain.find((one) => !isProxy(one)) ?? chain.at(-1)!
  }
}
