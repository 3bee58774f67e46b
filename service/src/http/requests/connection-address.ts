import type { Socket } from 'node:net'
import { plainAddress } from '../../domain/access/address-block.ts'

/** The clients of connections on which a worker passes requests on. */
const clients = new WeakMap<Socket, string>()

/** Says which client the requests of a connection come from: the connection itself comes from a worker. */
export function setClientOf(connection: Socket, address: string): void {
  clients.set(connection, address)
}

/** The address of the client at the other end of a connection; empty where it is closed already. */
export const connectionAddress = (connection: Socket): string =>
  plainAddress(clients.get(connection) ?? connection.remoteAddress ?? '')
