import { once } from 'node:events'
import { readlink, readdir } from 'node:fs/promises'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'

export type Server = { readonly origin: string; readonly certificate: string }

/** A bare TLS connection, for what no HTTP client would send. */
export async function connectRaw({ origin, certificate }: Server): Promise<TLSSocket> {
  const { hostname, port } = new URL(origin)
  // The types do not know that TLS sockets take `allowHalfOpen`, too.
  const options: ConnectionOptions & { allowHalfOpen: boolean } = {
    host: '127.0.0.1',
    servername: hostname,
    port: Number(port),
    ca: certificate,
    ALPNProtocols: ['http/1.1'],
    // It does not close its own half when the server closes: rude clients do not either.
    allowHalfOpen: true,
  }
  const socket = connect(options)
  await once(socket, 'secureConnect')
  // Whoever breaks rules is cut off; that is what the tests look at.
  socket.on('error', () => {})
  return socket
}

/** Sends bytes and gives everything that comes back until the server closes. */
export async function exchange(server: Server, ...parts: (string | Uint8Array)[]): Promise<string> {
  const socket = await connectRaw(server)
  const response = readToEnd(socket)
  for (const part of parts) socket.write(part)
  try {
    return await response
  } finally {
    socket.destroy()
  }
}

export async function readToEnd(socket: TLSSocket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise<void>((resolve) => {
    socket.once('end', resolve)
    socket.once('close', () => resolve())
  })
  return Buffer.concat(chunks).toString('latin1')
}

export type RawResponse = { status: number; head: string; body: string }

/** Takes the first response out of received bytes; bodies must state their length. */
export function splitResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = []
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\r\n\r\n', at)
    if (end < 0) throw new Error(`no end of headers: ${text.slice(at, at + 200)}`)
    const head = text.slice(at, end)
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    responses.push({ status, head, body: text.slice(end + 4, end + 4 + length) })
    at = end + 4 + length
  }
  return responses
}

/** How many sockets a process holds open. */
export async function countSockets(pid: number): Promise<number> {
  const names = await readdir(`/proc/${pid}/fd`)
  const targets = await Promise.all(
    names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')),
  )
  return targets.filter((target) => target.startsWith('socket:')).length
}

/** Waits until something holds, looking ten times a second. */
export async function until(holds: () => Promise<boolean>, seconds: number): Promise<boolean> {
  const end = Date.now() + seconds * 1000
  while (Date.now() < end) {
    if (await holds()) return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return holds()
}
