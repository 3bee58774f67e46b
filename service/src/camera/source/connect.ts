import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { codeOf } from '../../errors/thrown.ts'
import { SourceError } from './opened-source.ts'
import type { NetworkSource } from './parse-source.ts'

/** A connection to a camera is made within this time, with TLS if it has it. */
export const CONNECT_SECONDS = 5

const ENCRYPTED: ReadonlySet<string> = new Set(['rtsps', 'rtmps', 'https'])

/**
 * Connects to the pinned address of a source; throws a SourceError.
 *
 * Only the certificate of https is checked, and only for a name: cameras sign their own, for no name.
 * Without that check TLS keeps what is sent from those who listen, and not from those who interfere.
 */
export async function connectCamera(
  { scheme, host, port }: Pick<NetworkSource, 'scheme' | 'host' | 'port'>,
  address: string,
  signal: AbortSignal,
): Promise<Socket> {
  const late = AbortSignal.timeout(CONNECT_SECONDS * 1000)
  const isEncrypted = ENCRYPTED.has(scheme)
  const servername = isIP(host) === 0 ? host : ''
  const rejectUnauthorized = scheme === 'https' && servername !== ''
  const socket = isEncrypted
    ? connectTls({ host: address, port, servername, rejectUnauthorized })
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
    throw new SourceError(describeFailure(error, late.aborted), { cause: error })
  }
}

/** Says why no connection was made, without the address. */
function describeFailure(error: unknown, isLate: boolean): string {
  if (isLate) return `The camera accepted no connection within ${CONNECT_SECONDS} seconds.`
  const code = codeOf(error) ?? ''
  if (code === 'ECONNREFUSED') return 'The camera refused the connection.'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'The camera cannot be reached.'
  if (/CERT|SIGNATURE/.test(code))
    return 'The certificate of the camera is not trusted, or is for another name.'
  return 'The connection to the camera broke.'
}

/** What was thrown, as a SourceError where it is an error of Node about a connection. */
export const brokenConnection = (thrown: unknown): unknown =>
  codeOf(thrown) === undefined && !(thrown instanceof DOMException)
    ? thrown
    : new SourceError('The connection to the camera broke.', { cause: thrown })
