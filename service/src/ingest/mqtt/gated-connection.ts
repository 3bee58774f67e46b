import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { ByteBudget } from './byte-budget.ts'
import { PacketFrames, type Frame } from './packet-frames.ts'

export type GateLimits = {
  /** Of every packet before log-in, and of all but messages after it. */
  smallPacketBytes: number
  messageBytes: number
  /** Messages of one connection that are not stored yet. */
  waitingBytes: number
  /** Of one connection at a time that need no part of the budget of all. */
  ownBytes: number
}

export type GateOptions = {
  limits: GateLimits
  budget: ByteBudget
  refuse(reason: string): void
}

const CONNECT = 1
const PUBLISH = 3

/** What a message takes in memory beside its own bytes. */
export const MESSAGE_OVERHEAD = 512

/** A message that is not complete so long after its head makes room for one that waits. */
const INCOMPLETE_MILLISECONDS = 30_000
const LOOK_AGAIN_MILLISECONDS = 1000

/** Memory that a message has been given. */
type Reserved = { bytes: number; isOwn: boolean }

/**
 * A connection that a broker can be given whatever comes in on it.
 *
 * It passes a packet on when its announced length is within the limits and there is memory for it,
 * and reads no further meanwhile. The first packet must be a CONNECT; nothing passes after it
 * before `admit` is called.
 */
export class GatedConnection extends Duplex {
  readonly #socket: Socket
  readonly #options: GateOptions
  readonly #frames = new PacketFrames()
  #state: 'first' | 'logging in' | 'in' = 'first'
  #chunk: Uint8Array = Buffer.alloc(0)
  #at = 0
  #isHeld = false
  #hasEnded = false
  /** Of messages that nobody has taken over yet, in their order. */
  readonly #reserved: Reserved[] = []
  /** What messages hold beside the budget of all. */
  #own = 0
  #incomplete: NodeJS.Timeout | undefined
  /** Those messages, and those that are taken over and not stored. */
  #waiting = 0
  #whenStored: (() => void) | undefined

  constructor(socket: Socket, options: GateOptions) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    this.#options = options
    socket.on('data', (chunk) => {
      socket.pause()
      this.#chunk = chunk as Uint8Array
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

  /** Whether bytes of a packet are awaited from the client. */
  get isInsidePacket(): boolean {
    return this.#frames.isInside && !this.#isHeld
  }

  /** Lets in what comes after the first packet. */
  admit(): void {
    if (this.#state !== 'logging in') return
    this.#state = 'in'
    this.#isHeld = false
    this.#advance()
  }

  /** Of the message that was taken over, no will: gives back its memory once it is stored. */
  takeOver(packetBytes: number | undefined): () => void {
    const reserved = packetBytes === undefined ? undefined : this.#reserved.shift()
    return () => {
      if (reserved === undefined) return
      this.#waiting -= reserved.bytes
      if (reserved.isOwn) this.#own -= reserved.bytes
      else this.#options.budget.release(reserved.bytes)
      this.#whenStored?.()
    }
  }

  /** All that is there: the broker does not ask again before more comes in. */
  override read(size?: number): Buffer | null {
    if (typeof size === 'number') return super.read(size) as Buffer | null
    const chunks: Buffer[] = []
    for (let next = super.read(); next !== null; next = super.read()) chunks.push(next as Buffer)
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
    if (this.#state !== 'first') return
    this.#state = 'logging in'
    this.#isHeld = true
  }

  #begin({ type, length }: { type: number; length: number }): void {
    const { limits } = this.#options
    if (this.#state === 'first' && type !== CONNECT)
      return this.#refuse('the first packet is no CONNECT')
    const isMessage = this.#state === 'in' && type === PUBLISH
    const limit = isMessage ? limits.messageBytes : limits.smallPacketBytes
    if (length > limit) return this.#refuse(`a packet is larger than ${limit} bytes`)
    if (isMessage) this.#reserve(length + MESSAGE_OVERHEAD)
  }

  /** Holds the connection until there is memory for a message, of its own share and of all. */
  #reserve(bytes: number): void {
    const { budget, limits } = this.#options
    this.#isHeld = true
    let isWaiting = false
    const go = (isOwn: boolean): void => {
      if (this.destroyed) return isOwn ? undefined : budget.release(bytes)
      this.#reserved.push({ bytes, isOwn })
      this.#waiting += bytes
      if (isOwn) this.#own += bytes
      else this.#awaitEnd(INCOMPLETE_MILLISECONDS)
      this.#isHeld = false
      if (isWaiting) setImmediate(() => this.#advance())
    }
    const take = (): void => {
      this.#whenStored = take
      if (this.#waiting > 0 && this.#waiting + bytes > limits.waitingBytes) return
      const isSmall = bytes <= limits.ownBytes
      const isOwn = this.#own + bytes <= limits.ownBytes
      // Some of its own will be stored, whoever has the memory of all.
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
      if (!this.#options.budget.isShort) return this.#awaitEnd(LOOK_AGAIN_MILLISECONDS)
      this.#refuse(
        `a message was not complete ${INCOMPLETE_MILLISECONDS / 1000} seconds after its head`,
      )
    }, milliseconds).unref()
  }

  #refuse(reason: string): void {
    this.#options.refuse(reason)
    this.destroy()
  }
}
