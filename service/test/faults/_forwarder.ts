import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

const CUT_MILLISECONDS = 200

/** An address that leads to another port: the virtual address of an operator. */
export class Forwarder implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #swallowed = new Set<Socket>()
  #port: number
  /** Looks at what clients send; cuts their connection behind it when it returns true. */
  mayCut: (sent: Buffer) => boolean = () => false

  private constructor(port: number) {
    this.#port = port
    this.#server = createServer((incoming) => this.#forward(incoming))
  }

  static async open(port: number): Promise<Forwarder> {
    const forwarder = new Forwarder(port)
    forwarder.#server.listen(0, '127.0.0.1')
    await once(forwarder.#server, 'listening')
    return forwarder
  }

  /** The same address of a database, with the port of the forwarder. */
  urlOf(url: string): string {
    const address = this.#server.address()
    if (typeof address !== 'object' || address === null) throw new Error('it does not listen')
    const forwarded = new URL(url)
    forwarded.port = String(address.port)
    return forwarded.href
  }

  /** Leads to another port from now on; what is connected stays so. */
  moveTo(port: number): void {
    this.#port = port
  }

  /** Passes nothing on any more of what is connected, and does not tell either side. */
  swallow(): void {
    for (const socket of this.#sockets) {
      this.#swallowed.add(socket)
      socket.unpipe().resume()
    }
  }

  #forward(incoming: Socket): void {
    const outgoing = connect(this.#port, '127.0.0.1')
    incoming.on('data', (sent: Buffer) => {
      if (!this.mayCut(sent)) return
      outgoing.unpipe(incoming)
      // The server has it, and answers to nobody.
      setTimeout(() => incoming.destroy(), CUT_MILLISECONDS)
    })
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      this.#sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.once('close', () => {
        this.#sockets.delete(one)
        if (!this.#swallowed.has(one)) other.destroy()
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await once(this.#server, 'close')
  }
}
