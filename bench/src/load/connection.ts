import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'

/** What came back for one request. */
export type HttpResponse = {
  status: number
  /** Of the body as it was sent, with the framing of its chunks if it has any. */
  bytes: number
  firstByteMilliseconds: number
  milliseconds: number
  /** The body, for those who asked to keep it. */
  body: string | undefined
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = '\r\n0\r\n\r\n'
const BUFFER_BYTES = 64 * 1024
const NOTHING = Buffer.alloc(0)

/**
 * One keep-alive TLS connection that sends one request at a time.
 *
 * It only counts: a client that parsed its answers would cost more than the server it measures.
 */
export class Connection {
  readonly #socket: TLSSocket
  readonly #keepsBody: boolean
  #done: (response: HttpResponse) => void = () => {}
  #sentAt = 0
  #head = NOTHING
  #status = 0
  #bytes = 0
  #firstByteAt = 0
  /** Bytes still to come; undefined when the answer comes in chunks. */
  #left: number | undefined
  #tail = ''
  #body: Buffer[] = []

  private constructor(options: ConnectionOptions, keepsBody: boolean) {
    this.#keepsBody = keepsBody
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
    const onread = {
      buffer,
      callback: (count: number) => {
        this.#receive(buffer.subarray(0, count))
        return true
      },
    }
    this.#socket = connect({ ...options, onread } as ConnectionOptions)
    this.#socket.setNoDelay(true)
  }

  static open(
    options: { port: number; ca: string; keepsBody?: boolean },
    onError: (error: Error) => void,
  ): Promise<Connection> {
    const { port, ca, keepsBody = false } = options
    const target = { host: '127.0.0.1', servername: 'localhost', port, ca }
    const connection = new Connection(target, keepsBody)
    connection.#socket.on('error', onError)
    connection.#socket.on('end', () => onError(new Error('the server closed a connection')))
    return new Promise((resolve) => {
      connection.#socket.once('secureConnect', () => resolve(connection))
    })
  }

  send(request: Uint8Array, done: (response: HttpResponse) => void): void {
    this.#done = done
    this.#head = NOTHING
    this.#status = 0
    this.#body = []
    this.#sentAt = performance.now()
    this.#socket.write(request)
  }

  /** Sends a request and never reads what comes. */
  sendAndStall(request: Uint8Array): void {
    this.#socket.pause()
    this.#socket.write(request)
  }

  close(): void {
    this.#socket.removeAllListeners('end')
    this.#socket.destroy()
  }

  #receive(data: Buffer): void {
    const body = this.#status === 0 ? this.#readHead(data) : data
    if (body === undefined || (body.length === 0 && this.#left !== 0)) return
    if (this.#bytes === 0) this.#firstByteAt = performance.now()
    this.#bytes += body.length
    // The buffer is used again for what comes next.
    if (this.#keepsBody) this.#body.push(Buffer.from(body))
    if (this.#isLast(body)) this.#finish()
  }

  /** What follows the head, once it is there whole. */
  #readHead(data: Buffer): Buffer | undefined {
    const seen = this.#head.length === 0 ? data : Buffer.concat([this.#head, data])
    const end = seen.indexOf(HEAD_END)
    if (end === -1) {
      this.#head = Buffer.from(seen)
      return undefined
    }
    const head = seen.toString('latin1', 0, end)
    this.#status = Number(head.slice(9, 12))
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    this.#left = length === undefined ? undefined : Number(length)
    this.#tail = ''
    this.#bytes = 0
    return seen.subarray(end + HEAD_END.length)
  }

  #isLast(body: Buffer): boolean {
    if (this.#left !== undefined) {
      this.#left -= body.length
      return this.#left <= 0
    }
    this.#tail = (
      this.#tail + body.toString('latin1', Math.max(0, body.length - LAST_CHUNK.length))
    ).slice(-LAST_CHUNK.length)
    return this.#tail === LAST_CHUNK
  }

  #finish(): void {
    const response = {
      status: this.#status,
      bytes: this.#bytes,
      firstByteMilliseconds: this.#firstByteAt - this.#sentAt,
      milliseconds: performance.now() - this.#sentAt,
      body: this.#keepsBody ? Buffer.concat(this.#body).toString() : undefined,
    }
    this.#status = 0
    this.#done(response)
  }
}
