import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { plainAddress } from '../../domain/access/address-block.ts'
import { matcher } from '../security/connection-limits.ts'

/** The address of the client that sent a request. */
export type ClientAddress = (request: IncomingMessage) => string

/** Reads addresses as trusted proxies forward them: the nearest one that is not a proxy. */
export function clientAddress(proxies: readonly string[]): ClientAddress {
  const isProxy = matcher(proxies)
  return ({ socket, headers }) => {
    const remote = plainAddress(socket.remoteAddress ?? '')
    if (!isProxy(remote)) return remote
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
    const named = forwarded.map((one) => plainAddress(one.trim())).filter((one) => one !== '')
    return named.findLast((one) => !isProxy(one)) ?? named[0] ?? remote
  }
}

/** Gives every request the address of its client: a client that has gone has none any more. */
export function installClientAddress(app: FastifyInstance, addressOf: ClientAddress): void {
  app.decorateRequest('clientAddress', '')
  app.addHook('onRequest', async (request) => {
    request.clientAddress = addressOf(request.raw)
  })
}
