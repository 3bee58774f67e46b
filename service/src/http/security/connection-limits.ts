import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import { addressBlock, plainAddress } from '../../domain/access/address-block.ts'
import { networkMatcher } from '../../domain/access/network-matcher.ts'

export type ConnectionLimits = {
  connections: number
  connectionsPerAddress: number
  /** Addresses and networks of proxies, to which `connectionsPerAddress` does not apply. */
  proxies: readonly string[]
}

type Refuse = (from: string, reason: string) => void

/**
 * Lets a process serve a connection: this one, which calls `serve`, now or later, or another one, then
 * `close` is called when the connection is closed there.
 */
export type GiveConnection = (connection: Socket, ways: { serve(): void; close(): void }) => void

/**
 * Closes connections beyond the limits before their TLS handshake.
 *
 * Called before the server listens, it runs before all other listeners.
 */
export function limitConnections(
  server: HttpServer | HttpsServer,
  limits: ConnectionLimits,
  refuse: Refuse,
  give: GiveConnection = (_connection, { serve }) => serve(),
): void {
  const { connections, connectionsPerAddress } = limits
  const isProxy = networkMatcher(limits.proxies)
  const countByBlock = new Map<string, number>()
  let open = 0
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const from = plainAddress(socket.remoteAddress ?? '')
    const block = addressBlock(from)
    const count = countByBlock.get(block) ?? 0
    const reason =
      open >= connections
        ? `there are ${connections} connections`
        : count >= connectionsPerAddress && !isProxy(from)
          ? `the address has ${connectionsPerAddress} connections`
          : undefined
    if (reason !== undefined) {
      socket.on('error', () => {})
      socket.destroy()
      return refuse(from, reason)
    }
    open++
    countByBlock.set(block, count + 1)
    const close = (): void => {
      open--
      const left = (countByBlock.get(block) ?? 0) - 1
      if (left <= 0) countByBlock.delete(block)
      else countByBlock.set(block, left)
    }
    const serve = (): void => {
      socket.once('close', close)
      for (const listener of listeners) Reflect.apply(listener, server, [socket])
    }
    give(socket, { serve, close })
  })
}
