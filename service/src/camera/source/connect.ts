import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { codeOf } from '../../errors/thrown.ts'
import { SourceError } from './opened-source.ts'
import type { NetworkSource } from './parse-source.ts'

/** A connection to a camera is made within this time, with TLS if it has it. */
export const CONNECT_SECONDS = 5

const ENCRYPTED: ReadonlySet<string> = new Set(['rtsps', 'rtmps'])

/**
 * Connects to the pinned address of a source; throws a SourceError.
 *
 * The certificates of rtsps and rtmps are not checked: cameras sign their own, for no name. TLS keeps
 * what is sent from those who only listen.
 */
export async function connectCamera(
  { scheme, host, port }: Pick<NetworkSource, 'scheme' | 'host' | 'port'>,
  address: string,
  signal: AbortSignal,
): Promise<Socket> {
  const late = AbortSignal.timeout(CONNECT_SECONDS * 1000)
  const isEncrypted = ENCRYPTED.has(scheme)
  const socket = isEncrypted
    ? connectTls({ host: address, port, servername: serverName(host), rejectUnauthorized: false })
    : connect({ host: address, port })
  socket.setNoDelay(true)
  try {
    await once(socket, isEncrypted ? 'secureConnect' : 'connect', {
      signal: AbortSignal.any([signal, late]),
    })
    return socket
  } catch (error) {
    socket.on('error', () => {})
    socket.destroy()
    signal.throwIfAborted()
    throw new SourceError(describeConnectFailure(error, late.aborted), { cause: error })
  }
}

/** The name of a host for TLS, in which addresses have no place. */
export const serverName = (host: string): string => (isIP(host) === 0 ? host : '')

/** Says why no connection was made, without the address. */
export function describeConnectFailure(error: unknown, isLate: boolean): string {
  if (isLate) return `The camera accepted no connection within ${CONNECT_SECONDS} seconds.`
  const code = codeOf(error)
  if (code === 'ECONNREFUSED') return 'The camera refused the connection.'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'The camera cannot be reached.'
  return 'The connection to the camera broke.'
}
