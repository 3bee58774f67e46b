import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Budget } from '../../concurrency/budget.ts'
import { PacketFrames, type Frame } from './packet-frames.ts'

export type GateLimits = {
  /** The most bytes of a packet before the log-in, and of one that is not a message after it. */
  smallPacketBytes: number
  messageBytes: number
  /** The most bytes of messages of one connection that are not stored yet. */
  waitingBytes: number
  /** Bytes of messages that a connection may hold without taking them from the shared budget. */
  ownBytes: number
}

type GateOptions = {
  limits: GateLimits
  /** Memory that all connections share. */
  budget: Budget
  refuse(reason: string): void
}

const CONNECT = 1
const PUBLISH = 3

/** Bytes of memory that a message takes beside its own. */
export const MESSAGE_OVERHEAD = 512

/** A message that is not complete this long after its header is dropped while another one waits. */
const INCOMPLETE_MILLISECONDS = 30_000
const CHECK_AGAIN_MILLISECONDS = 1000

/** Memory that is reserved for a message; `isOwn`: not from the shared budget. */
type Reservation = { bytes: number; isOwn: boolean }

/**
 * A connection that limits what a client can make the broker hold in memory.
 *
 * It passes a packet on when the announced length is within the limits and memory is reserved for
 * it, and reads no further meanwhile. The first packet must be a CONNECT; the next ones pass after
 * `admit`.
 */
export class GatedConnection extends Duplex {
  readonly #socket: Socket
  readonly #options: GateOptions
  readonly #frames = new PacketFrames()
  #state: 'connecting' | 'logging in' | 'logged in' = 'connecting'
  #chunk: Uint8Array = Buffer.alloc(0)
  #at = 0
  #isHeld = false
  #hasEnded = false
  /** The reservations of messages that are not taken over yet, in the order of the messages. */
  readonly #reserved: Reservation[] = []
  /** Reserved bytes that are not from the shared budget. */
  #ownBytes = 0
  #incomplete: NodeJS.Timeout | undefined
  /** Bytes of messages that are not stored yet. */
  #waitingBytes = 0
  #whenStored: (() => void) | undefined

  constructor(socket: Socket, options: GateOptions) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    this.#options = options
    socket.on('data', (chunk) => {
      socket.pause()
      this.#chunk = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      this.#at = 0
      this.#advance()
    })
    socket.on('end', () => {
      this.#hasEnded = true
      this.#advance()
    })
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  /** Whether the client has sent a part of a packet and the rest is awaited. */
  get isInsidePacket(): boolean {
    return this.#frames.isInside && !this.#isHeld
  }

  /** Passes on the packets after the first one. */
  admit(): void {
    if (this.#state !== 'logging in') return
    this.#state = 'logged in'
    this.#isHeld = false
    this.#advance()
  }

  /**
   * Takes the next message over. The returned function releases its memory once it is stored. A will
   * has no packet, and so no reservation.
   */
  takeOver(packetBytes: number | undefined): () => void {
    const reserved = packetBytes === undefined ? undefined : this.#reserved.shift()
    return () => {
      if (reserved === undefined) return
      this.#waitingBytes -= reserved.bytes
      if (reserved.isOwn) this.#ownBytes -= reserved.bytes
      else this.#options.budget.release(reserved.bytes)
      this.#whenStored?.()
    }
  }

  /** Without a size everything that is buffered: the broker reads again only when more comes in. */
  override read(size?: number): Buffer | null {
    if (typeof size === 'number') return bytesOrNull(super.read(size))
    const chunks: Buffer[] = []
    for (let next: unknown = super.read(); Buffer.isBuffer(next); next = super.read())
      chunks.push(next)
    return chunks.length > 1 ? Buffer.concat(chunks) : (chunks[0] ?? null)
  }

  override _read(): void {
    this.#advance()
  }

  override _write(
    chunk: Uint8Array,
    _encoding: string,
    done: (error?: Error | null) => void,
  ): void {
    this.#socket.write(chunk, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy()
    clearTimeout(this.#incomplete)
    for (const { bytes, isOwn } of this.#reserved.splice(0))
      if (!isOwn) this.#options.budget.release(bytes)
    this.#chunk = Buffer.alloc(0)
    done(error)
  }

  #advance(): void {
    const from = this.#at
    while (!this.#isHeld && !this.destroyed && this.#at < this.#chunk.length) {
      const { at, frame } = this.#frames.read(this.#chunk, this.#at)
      this.#at = at
      if (frame !== undefined) this.#pass(frame)
    }
    if (this.destroyed) return
    const hasRoom = this.#at === from || this.push(this.#chunk.subarray(from, this.#at))
    if (this.#at < this.#chunk.length) return
    if (this.#hasEnded) this.push(null)
    else if (hasRoom && !this.#isHeld) this.#socket.resume()
  }

  #pass(frame: Frame): void {
    if (frame.kind === 'malformed') return this.#refuse('the length of a packet is malformed')
    if (frame.kind === 'begin') return this.#begin(frame)
    clearTimeout(this.#incomplete)
    if (this.#state !== 'connecting') return
    this.#state = 'logging in'
    this.#isHeld = true
  }

  #begin({ type, length }: { type: number; length: number }): void {
    const { limits } = this.#options
    if (this.#state === 'connecting' && type !== CONNECT)
      return this.#refuse('the first packet is no CONNECT')
    const isMessage = this.#state === 'logged in' && type === PUBLISH
    const limit = isMessage ? limits.messageBytes : limits.smallPacketBytes
    if (length > limit) return this.#refuse(`a packet is larger than ${limit} bytes`)
    if (isMessage) this.#reserve(length + MESSAGE_OVERHEAD)
  }

  /** Holds the connection until memory is reserved for a message. */
  #reserve(bytes: number): void {
    const { budget, limits } = this.#options
    this.#isHeld = true
    let isWaiting = false
    const go = (isOwn: boolean): void => {
      if (this.destroyed) return isOwn ? undefined : budget.release(bytes)
      this.#reserved.push({ bytes, isOwn })
      this.#waitingBytes += bytes
      if (isOwn) this.#ownBytes += bytes
      else this.#awaitEnd(INCOMPLETE_MILLISECONDS)
      this.#isHeld = false
      if (isWaiting) setImmediate(() => this.#advance())
    }
    const take = (): void => {
      this.#whenStored = take
      if (this.#waitingBytes > 0 && this.#waitingBytes + bytes > limits.waitingBytes) return
      const isSmall = bytes <= limits.ownBytes
      const isOwn = this.#ownBytes + bytes <= limits.ownBytes
      // The connection tries again when one of its own messages is stored.
      if (isSmall && !isOwn && !budget.tryTake(bytes)) return
      this.#whenStored = undefined
      if (isSmall) go(isOwn)
      else budget.take(bytes, () => go(false))
    }
    take()
    isWaiting = this.#isHeld
  }

  #awaitEnd(milliseconds: number): void {
    this.#incomplete = setTimeout(() => {
      if (!this.#options.budget.isShort) return this.#awaitEnd(CHECK_AGAIN_MILLISECONDS)
      this.#refuse(
        `a message was not complete ${INCOMPLETE_MILLISECONDS / 1000} seconds after its header`,
      )
    }, milliseconds).unref()
  }

  #refuse(reason: string): void {
    this.#options.refuse(reason)
    this.destroy()
  }
}

const bytesOrNull = (read: unknown): Buffer | null => (Buffer.isBuffer(read) ? read : null)
