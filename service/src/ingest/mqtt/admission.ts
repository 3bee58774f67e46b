import type { Socket } from 'node:net'
import { addressBlock, plainAddress } from '../../domain/access/address-block.ts'

export type AdmissionLimits = {
  connections: number
  connectionsPerAddress: number
  loginSeconds: number
}

/** A connection that was accepted. */
export type Admitted = {
  /** The address of the client. */
  readonly from: string
  /** Ends the time limit of the log-in. */
  loggedIn(): void
}

/** The part of each limit that connections may take before their log-in. */
const PENDING_SHARE = 1 / 4

type OpenConnection = { socket: Socket; from: string; block: string; login: NodeJS.Timeout }

/**
 * Limits the connections of a server and of each address, and the time until their log-in.
 *
 * Connections before their log-in have a smaller limit: beyond it a new one replaces the oldest.
 */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #open = new Set<OpenConnection>()
  /** Connections before their log-in, the oldest first. */
  readonly #pending = new Set<OpenConnection>()
  readonly #byBlock = new Map<string, Set<OpenConnection>>()
  readonly #refuse: (from: string, reason: string) => void

  constructor(limits: AdmissionLimits, refuse: (from: string, reason: string) => void) {
    this.#limits = limits
    this.#refuse = refuse
  }

  /** Accepts a connection; undefined for one beyond a limit, which is closed. */
  accept(socket: Socket): Admitted | undefined {
    const { remoteAddress } = socket
    // The client reset the connection before it was accepted.
    if (remoteAddress === undefined) return close(socket)
    const from = plainAddress(remoteAddress)
    const block = addressBlock(from)
    const reason = this.#findExcess(block)
    if (reason !== undefined) {
      this.#refuse(from, reason)
      return close(socket)
    }
    this.#makeRoom(block)
    return this.#add(socket, from, block)
  }

  closeAll(): void {
    for (const { socket } of this.#open) socket.destroy()
  }

  #add(socket: Socket, from: string, block: string): Admitted {
    const { loginSeconds } = this.#limits
    const login = setTimeout(
      () => this.#drop(entry, `no log-in within ${loginSeconds} seconds`),
      loginSeconds * 1000,
    ).unref()
    const entry: OpenConnection = { socket, from, block, login }
    this.#open.add(entry)
    this.#pending.add(entry)
    this.#byBlock.getOrInsertComputed(block, () => new Set()).add(entry)
    socket.once('close', () => this.#remove(entry))
    return {
      from,
      loggedIn: () => {
        clearTimeout(login)
        this.#pending.delete(entry)
      },
    }
  }

  #findExcess(block: string): string | undefined {
    const { connections, connectionsPerAddress } = this.#limits
    if (this.#open.size >= connections) return `there are ${connections} connections`
    if ((this.#byBlock.get(block)?.size ?? 0) >= connectionsPerAddress)
      return `the address has ${connectionsPerAddress} connections`
    return undefined
  }

  /** Drops a connection where there is no room for one more before its log-in. */
  #makeRoom(block: string): void {
    const { connections, connectionsPerAddress } = this.#limits
    const pending = [...(this.#byBlock.get(block) ?? [])].filter((one) => this.#pending.has(one))
    const oldest =
      pending.length >= Math.ceil(connectionsPerAddress * PENDING_SHARE)
        ? pending[0]
        : this.#pending.size >= Math.ceil(connections * PENDING_SHARE)
          ? this.#pending.values().next().value
          : undefined
    if (oldest !== undefined)
      this.#drop(oldest, 'newer connections took its place before it logged in')
  }

  #drop(entry: OpenConnection, reason: string): void {
    this.#refuse(entry.from, reason)
    this.#remove(entry)
    entry.socket.destroy()
  }

  #remove(entry: OpenConnection): void {
    clearTimeout(entry.login)
    this.#open.delete(entry)
    this.#pending.delete(entry)
    const block = this.#byBlock.get(entry.block)
    block?.delete(entry)
    if (block?.size === 0) this.#byBlock.delete(entry.block)
  }
}

function close(socket: Socket): undefined {
  socket.on('error', () => {})
  socket.destroy()
}
