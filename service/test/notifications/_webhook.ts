import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureCertificate } from '../../src/http/security/certificate.ts'

export type Post = { path: string; headers: IncomingHttpHeaders; body: string }

type Reply =
  | { status: number; headers?: Record<string, string> }
  | 'nothing'
  /** Whatever it writes, and for as long as it likes. */
  | ((socket: Socket) => void)

export const SECRET = 'whsec-5f1c-top-secret'

/** A receiver of webhooks over HTTPS, with a certificate of its own. */
export class WebhookReceiver implements AsyncDisposable {
  readonly posts: Post[] = []
  readonly certificateFile: string
  readonly folder: string
  port = 0
  /** Its responses to the next posts; the last one is repeated. */
  replies: Reply[] = [{ status: 200 }]
  readonly #key: string
  readonly #certificate: string
  #server: Server | undefined

  private constructor(folder: string, certificateFile: string, certificate: string, key: string) {
    this.folder = folder
    this.certificateFile = certificateFile
    this.#certificate = certificate
    this.#key = key
  }

  static async start(): Promise<WebhookReceiver> {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-webhook-'))
    const files = await ensureCertificate(folder, undefined, Date.now())
    const [certificate, key] = await Promise.all([
      readFile(files.certificate, 'utf8'),
      readFile(files.key, 'utf8'),
    ])
    const receiver = new WebhookReceiver(folder, files.certificate, certificate, key)
    await receiver.listen()
    return receiver
  }

  get url(): string {
    return `https://localhost:${this.port}/hook/sec-in-path`
  }

  /** Settings of a channel that leads here. */
  get settings(): object {
    return { name: 'hook', url: this.url, secret: SECRET, ca: this.certificateFile }
  }

  /** Numbers of the messages that came, each as often as it came. */
  get ids(): string[] {
    return this.posts.map(({ body }) => (JSON.parse(body) as { id: string }).id)
  }

  /** Listens, again at the port it had. */
  async listen(): Promise<void> {
    const options = { cert: this.#certificate, key: this.#key }
    const server = createServer(options, (request, response) => {
      const chunks: Buffer[] = []
      request.on('error', () => {})
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        this.posts.push({ path: request.url ?? '', headers: request.headers, body })
        const reply = this.replies.length > 1 ? this.replies.shift()! : this.replies[0]!
        if (typeof reply === 'function') reply(request.socket)
        else if (reply !== 'nothing') response.writeHead(reply.status, reply.headers).end()
      })
    })
    server.listen(this.port, '127.0.0.1')
    await once(server, 'listening')
    this.port = (server.address() as AddressInfo).port
    this.#server = server
  }

  /** Nobody is there any more. */
  async close(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    this.#server = undefined
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** Checks a signature as a receiver does; see docs/notifications.md. */
export function isSigned(post: Post, secret: string, now: number): boolean {
  const header = String(post.headers['plumbline-signature'])
  const [, time = '', code = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (Math.abs(now / 1000 - Number(time)) > 300) return false
  const own = createHmac('sha256', secret).update(`${time}.${post.body}`).digest()
  return timingSafeEqual(own, Buffer.from(code, 'hex'))
}
