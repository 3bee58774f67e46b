import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { BlockList, isIP, type Socket } from 'node:net'
import { addressBlock, plainAddress } from '../../domain/access/address-block.ts'

export type ConnectionLimits = {
  connections: number
  connectionsPerAddress: number
  /** Addresses that speak for many clients: only the number of all connections holds for them. */
  proxies: readonly string[]
}

type Refuse = (from: string, reason: string) => void

const IDLE_SECONDS = 5

const authenticated = new WeakSet<Socket>()

/**
 * Closes connections that exceed the limits, before they cost a TLS handshake.
 *
 * Called before the server listens: it goes before all that listens for connections.
 */
export function limitConnections(
  server: HttpServer | HttpsServer,
  limits: ConnectionLimits,
  refuse: Refuse,
): void {
  const { connections, connectionsPerAddress } = limits
  const isProxy = matcher(limits.proxies)
  const byBlock = new Map<string, number>()
  let open = 0
  const theirs = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const from = plainAddress(socket.remoteAddress ?? '')
    const block = addressBlock(from)
    const count = byBlock.get(block) ?? 0
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
    byBlock.set(block, count + 1)
    socket.once('close', () => {
      open--
      const left = byBlock.get(block)! - 1
      if (left === 0) byBlock.delete(block)
      else byBlock.set(block, left)
    })
    for (const listener of theirs) Reflect.apply(listener, server, [socket])
  })
}

/** A client that has shown who it is keeps its connection for longer between requests. */
export function keepConnection(request: IncomingMessage, response: ServerResponse): void {
  authenticated.add(request.socket)
  if (!response.headersSent) response.removeHeader('keep-alive')
}

/** Says to a client nobody knows how long its connection is kept. */
export function announceIdleLimit(request: IncomingMessage, response: ServerResponse): void {
  if (response.shouldKeepAlive && !authenticated.has(request.socket))
    response.setHeader('keep-alive', `timeout=${IDLE_SECONDS}`)
}

/** Called when all requests of a connection are answered. */
export function limitIdle(socket: Socket): void {
  if (!authenticated.has(socket) && !socket.destroyed) socket.setTimeout(IDLE_SECONDS * 1000)
}

/** Whether an address is in one of these networks. */
export function matcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const version = isIP(address)
    if (version === 0) continue
    const family = version === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32))
      list.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
}
