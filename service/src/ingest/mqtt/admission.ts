import type { Socket } from 'node:net'
import { addressBlock, plainAddress } from '../../domain/access/address-block.ts'

export type AdmissionLimits = {
  connections: number
  connectionsPerAddress: number
  loginSeconds: number
}

/** Counts the connections of a server and of each address, and gives them a time to log in. */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #open = new Map<string, { socket: Socket; block: string; login: NodeJS.Timeout }>()
  readonly #byBlock = new Map<string, number>()
  readonly #refuse: (from: string, reason: string) => void

  constructor(limits: AdmissionLimits, refuse: (from: string, reason: string) => void) {
    this.#limits = limits
    this.#refuse = refuse
  }

  /** Whether a connection may stay; one that may not is closed. */
  enter(socket: Socket): boolean {
    const from = plainAddress(socket.remoteAddress ?? '')
    const block = addressBlock(from)
    const count = this.#byBlock.get(block) ?? 0
    const { connections, connectionsPerAddress, loginSeconds } = this.#limits
    const reason =
      this.#open.size >= connections
        ? `there are ${connections} connections`
        : count >= connectionsPerAddress
          ? `the address has ${connectionsPerAddress} connections`
          : undefined
    if (reason !== undefined) {
      this.#refuse(from, reason)
      socket.on('error', () => {})
      socket.destroy()
      return false
    }
    const login = setTimeout(() => {
      this.#refuse(from, `no log-in within ${loginSeconds} seconds`)
      socket.destroy()
    }, loginSeconds * 1000).unref()
    const peer = peerOf(socket)
    this.#open.set(peer, { socket, block, login })
    this.#byBlock.set(block, count + 1)
    socket.once('close', () => this.#leave(peer))
    return true
  }

  /** The connection that has logged in may stay; the socket may be that of TLS around it. */
  loggedIn(socket: Socket): void {
    clearTimeout(this.#open.get(peerOf(socket))?.login)
  }

  closeAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy()
  }

  #leave(peer: string): void {
    const { block, login } = this.#open.get(peer)!
    clearTimeout(login)
    this.#open.delete(peer)
    const left = this.#byBlock.get(block)! - 1
    if (left === 0) this.#byBlock.delete(block)
    else this.#byBlock.set(block, left)
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
