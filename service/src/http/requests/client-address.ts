import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { plainAddress } from '../../domain/access/address-block.ts'
import { networkMatcher } from '../../domain/access/network-matcher.ts'
import { connectionAddress } from './connection-address.ts'

/** The address of the client that sent a request. */
export type ClientAddress = (request: IncomingMessage) => string

/** The nearest address of `X-Forwarded-For` that is not a trusted proxy, or else the remote address. */
export function clientAddress(proxies: readonly string[]): ClientAddress {
  const isProxy = networkMatcher(proxies)
  return ({ socket, headers }) => {
    const remote = connectionAddress(socket)
    if (!isProxy(remote)) return remote
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
    const named = forwarded.map((one) => plainAddress(one.trim())).filter((one) => one !== '')
    return named.findLast((one) => !isProxy(one)) ?? named[0] ?? remote
  }
}

/** Sets `clientAddress` of every request while its connection is open. */
export function installClientAddress(app: FastifyInstance, addressOf: ClientAddress): void {
  app.decorateRequest('clientAddress', '')
  app.addHook('onRequest', async (request) => {
    request.clientAddress = addressOf(request.raw)
  })
}
