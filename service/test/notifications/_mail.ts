import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import { ensureCertificate } from '../../src/http/security/certificate.ts'

export type Mail = {
  from: string
  to: string[]
  /** As it came, with its headers. */
  data: string
  isEncrypted: boolean
  user: string | undefined
}

export const PASSWORD = 'smtp-top-secret'

/** A mail server that speaks STARTTLS and asks for a password once it is encrypted. */
export class MailServer implements AsyncDisposable {
  readonly mails: Mail[] = []
  readonly certificateFile: string
  /** Recipients that it does not know. */
  readonly refused = new Set<string>()
  offersTls = true
  port = 0
  readonly #folder: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(folder: string, certificateFile: string, cert: string, key: string) {
    this.#folder = folder
    this.certificateFile = certificateFile
    const context = createSecureContext({ cert, key })
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.write('220 mail.test ESMTP\r\n')
      const session = new Session(
        this,
        socket,
        () => new TLSSocket(socket, { isServer: true, secureContext: context }),
      )
      session.listen()
    })
  }

  static async start(): Promise<MailServer> {
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-mail-'))
    const files = await ensureCertificate(folder, undefined, Date.now())
    const [cert, key] = await Promise.all([
      readFile(files.certificate, 'utf8'),
      readFile(files.key, 'utf8'),
    ])
    const server = new MailServer(folder, files.certificate, cert, key)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    server.port = (server.#server.address() as AddressInfo).port
    return server
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** One connection, in the clear until it asks for TLS. */
class Session {
  readonly #server: MailServer
  #socket: Socket
  readonly #encrypt: () => TLSSocket
  #text = ''
  #isData = false
  #mail: Mail

  constructor(server: MailServer, socket: Socket, encrypt: () => TLSSocket) {
    this.#server = server
    this.#socket = socket
    this.#encrypt = encrypt
    this.#mail = empty()
  }

  listen(): void {
    this.#socket.on('error', () => {})
    this.#socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString()
      for (;;) {
        const end = this.#isData ? '\r\n.\r\n' : '\r\n'
        const at = this.#text.indexOf(end)
        if (at === -1) return
        const part = this.#text.slice(0, at)
        this.#text = this.#text.slice(at + end.length)
        if (this.#isData) this.#keep(part)
        else this.#response(part)
      }
    })
  }

  #keep(data: string): void {
    this.#isData = false
    const isEncrypted = this.#socket instanceof TLSSocket
    this.#server.mails.push({ ...this.#mail, data, isEncrypted })
    this.#mail = empty(this.#mail.user)
    this.#say('250 kept')
  }

  #response(line: string): void {
    const [verb = '', ...rest] = line.split(' ')
    const isEncrypted = this.#socket instanceof TLSSocket
    switch (verb.toUpperCase()) {
      case 'EHLO':
        return this.#say(
          isEncrypted
            ? '250-mail.test\r\n250 AUTH PLAIN'
            : `250-mail.test\r\n250 ${this.#server.offersTls ? 'STARTTLS' : '8BITMIME'}`,
        )
      case 'STARTTLS':
        if (!this.#server.offersTls) return this.#say('502 no')
        this.#say('220 go')
        this.#socket.removeAllListeners('data')
        this.#socket = this.#encrypt()
        return this.listen()
      case 'AUTH': {
        const [, user, password] = Buffer.from(rest[1] ?? '', 'base64')
          .toString()
          .split('\0')
        // A careless server repeats what it was sent.
        if (password !== PASSWORD) return this.#say(`535 no: ${line}`)
        this.#mail.user = user
        return this.#say('235 welcome')
      }
      case 'MAIL':
        this.#mail.from = /<(.*)>/.exec(line)?.[1] ?? ''
        return this.#say('250 ok')
      case 'RCPT': {
        const to = /<(.*)>/.exec(line)?.[1] ?? ''
        if (this.#server.refused.has(to)) return this.#say('550 5.1.1 nobody of that name')
        this.#mail.to.push(to)
        return this.#say('250 ok')
      }
      case 'DATA':
        this.#isData = true
        return this.#say('354 go on')
      case 'QUIT':
        this.#say('221 bye')
        return void this.#socket.end()
      default:
        return this.#say('250 ok')
    }
  }

  #say(line: string): void {
    this.#socket.write(`${line}\r\n`)
  }
}

const empty = (user?: string): Mail => ({ from: '', to: [], data: '', isEncrypted: false, user })

/** The headers of a mail by their lower-case names, unfolded and decoded. */
export function readHeaders({ data }: Mail): Map<string, string> {
  const [head = ''] = data.split('\r\n\r\n')
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return new Map(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), decodeWords(line.slice(at + 1).trim())]
    }),
  )
}

/** The text of a mail of one part. */
export function readText(mail: Mail): string {
  const body = mail.data.slice(mail.data.indexOf('\r\n\r\n') + 4)
  const encoding = readHeaders(mail).get('content-transfer-encoding')
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  return encoding === 'quoted-printable' ? decodeQuoted(body) : body
}

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text
      .replaceAll(/=\r\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
    'latin1',
  ).toString()

const decodeWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : decodeQuoted(word.replaceAll('_', ' ')),
    )
