import { createServer, type ServerOptions } from 'node:https'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nextMessage, sendToParent } from '../messages.ts'
import type { RivalSettings } from '../servers/rival.ts'

/** Receives the settings from the parent process. */
export const receiveSettings = (): Promise<RivalSettings> => nextMessage(process)

/** Listens with the service's own TLS settings and sends the port to the parent process. */
export function listen({ tls }: RivalSettings, response: RequestListener): void {
  const options: ServerOptions = {
    ...tls,
    minVersion: 'TLSv1.2',
    ciphers:
      'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20',
  }
  const server = createServer(options, response)
  server.listen(0, '127.0.0.1', () => sendToParent((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit())
}
