import type { Socket } from 'node:net'
import { addressBlock, plainAddress } from '../../domain/access/address-block.ts'

export type AdmissionLimits = {
  connections: number
  connectionsPerAddress: number
  loginSeconds: number
}

/** A connection that was let in. */
export type Admitted = {
  /** The address it comes from. */
  readonly from: string
  /** It may stay beyond the time to log in. */
  loggedIn(): void
}

/** This part of each limit is for connections that have not logged in. */
const PENDING_SHARE = 1 / 4

type Entry = { socket: Socket; from: string; block: string; login: NodeJS.Timeout }

/**
 * Counts the connections of a server and of each address, and gives them a time to log in.
 *
 * Those that have not logged in are fewer: a new one takes the place of the oldest of them.
 */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #open = new Set<Entry>()
  /** Those of them that have not logged in, the oldest first. */
  readonly #pending = new Set<Entry>()
  readonly #byBlock = new Map<string, Set<Entry>>()
  readonly #refuse: (from: string, reason: string) => void

  constructor(limits: AdmissionLimits, refuse: (from: string, reason: string) => void) {
    this.#limits = limits
    this.#refuse = refuse
  }

  /** Undefined for a connection that may not stay, which is closed. */
  enter(socket: Socket): Admitted | undefined {
    const { remoteAddress } = socket
    // It was reset before it was accepted.
    if (remoteAddress === undefined) return close(socket)
    const from = plainAddress(remoteAddress)
    const block = addressBlock(from)
    const reason = this.#tooMany(block)
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
    const entry: Entry = { socket, from, block, login }
    this.#open.add(entry)
    this.#pending.add(entry)
    const ofBlock = this.#byBlock.get(block) ?? new Set()
    this.#byBlock.set(block, ofBlock.add(entry))
    socket.once('close', () => this.#leave(entry))
    return {
      from,
      loggedIn: () => {
        clearTimeout(login)
        this.#pending.delete(entry)
      },
    }
  }

  #tooMany(block: string): string | undefined {
    const { connections, connectionsPerAddress } = this.#limits
    if (this.#open.size >= connections) return `there are ${connections} connections`
    if ((this.#byBlock.get(block)?.size ?? 0) >= connectionsPerAddress)
      return `the address has ${connectionsPerAddress} connections`
    return undefined
  }

  /** Leaves a place for one more that has not logged in. */
  #makeRoom(block: string): void {
    const { connections, connectionsPerAddress } = this.#limits
    const ofBlock = [...(this.#byBlock.get(block) ?? [])].filter((one) => this.#pending.has(one))
    const oldest =
      ofBlock.length >= Math.ceil(connectionsPerAddress * PENDING_SHARE)
        ? ofBlock[0]
        : this.#pending.size >= Math.ceil(connections * PENDING_SHARE)
          ? this.#pending.values().next().value
          : undefined
    if (oldest !== undefined)
      this.#drop(oldest, 'newer connections took its place before it logged in')
  }

  #drop(entry: Entry, reason: string): void {
    this.#refuse(entry.from, reason)
    this.#leave(entry)
    entry.socket.destroy()
  }

  #leave(entry: Entry): void {
    clearTimeout(entry.login)
    this.#open.delete(entry)
    this.#pending.delete(entry)
    const ofBlock = this.#byBlock.get(entry.block)
    ofBlock?.delete(entry)
    if (ofBlock?.size === 0) this.#byBlock.delete(entry.block)
  }
}

function close(socket: Socket): undefined {
  socket.on('error', () => {})
  socket.destroy()
}
