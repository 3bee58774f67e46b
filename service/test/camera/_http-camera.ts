import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { needCommand } from '../_debian.ts'

const run = promisify(execFile)

/** A server of the test's own on a loopback port. */
export type TestServer = AsyncDisposable & {
  port: number
  /** Connections that were made so far. */
  connections: number
  /** Connections that are open. */
  open: Set<Socket>
}

/** A camera with HTTP, or with HTTPS and a certificate that it signed for a name. */
export async function startHttpCamera(
  listener: RequestListener,
  { name }: { name?: string } = {},
): Promise<TestServer> {
  if (name === undefined) return listen(createServer(listener))
  return listen(createTlsServer(await signFor(name), listener))
}

/** A server that speaks as it likes, or only counts who connects. */
export const startTcpServer = (
  visit: (socket: Socket) => void = (socket) => void socket.resume(),
): Promise<TestServer> => listen(createTcpServer(visit))

export async function listen(server: Server): Promise<TestServer> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const started = {
    port,
    connections: 0,
    open: new Set<Socket>(),
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of started.open) socket.destroy()
    },
  }
  server.on('connection', (socket: Socket) => {
    started.connections++
    started.open.add(socket)
    socket.on('error', () => {}).on('close', () => started.open.delete(socket))
  })
  return started
}

export async function signFor(name: string): Promise<{ key: string; cert: string }> {
  await needCommand('openssl', 'openssl')
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-camera-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  await run('openssl', [
    ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1'.split(' '),
    '-subj',
    `/CN=${name}`,
    '-addext',
    `subjectAltName=DNS:${name}`,
    '-keyout',
    key,
    '-out',
    cert,
  ])
  return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
}

/** Writes bytes as a camera does, over some seconds, again and again until nobody reads. */
export async function sendLive(
  to: NodeJS.WritableStream & { destroyed: boolean },
  bytes: Buffer,
  { seconds = 1, times = 1 }: { seconds?: number; times?: number } = {},
): Promise<void> {
  const parts = 20
  for (let part = 0; part < parts * times && !to.destroyed; part++) {
    const [from, end] = [part % parts, (part % parts) + 1].map((at) =>
      Math.floor((at * bytes.length) / parts),
    )
    to.write(bytes.subarray(from, end))
    await wait((seconds * 1000) / parts)
  }
}
