import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A load balancer: each connection goes to the next port that takes one. */
export class RoundRobin implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #ports: number[]
  #next = 0

  private constructor(ports: readonly number[]) {
    this.#ports = [...ports]
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (incoming) =>
      this.#forward(incoming),
    )
  }

  static async open(ports: readonly number[]): Promise<RoundRobin> {
    const balancer = new RoundRobin(ports)
    balancer.#server.listen(0, '127.0.0.1')
    await once(balancer.#server, 'listening')
    return balancer
  }

  get port(): number {
    const address = this.#server.address()
    if (typeof address !== 'object' || address === null) throw new Error('it does not listen')
    return address.port
  }

  /** Gives new connections to another port in place of one. */
  replace(old: number, port: number): void {
    this.#ports[this.#ports.indexOf(old)] = port
  }

  #forward(incoming: Socket, first = this.#next++, attempt = 0): void {
    const port = this.#ports[(first + attempt) % this.#ports.length] ?? 0
    const outgoing = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    outgoing.once('error', () => {
      if (attempt + 1 < this.#ports.length) this.#forward(incoming, first, attempt + 1)
      else incoming.destroy()
    })
    outgoing.once('connect', () => {
      outgoing.removeAllListeners('error')
      // What one side has sent before it ends reaches the other one.
      for (const [one, other] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        this.#sockets.add(one)
        one.pipe(other)
        one.on('error', () => other.destroy())
        one.once('close', () => this.#sockets.delete(one))
      }
      incoming.resume()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
