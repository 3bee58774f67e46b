/**
 * Acknowledges the messages of one connection in the order of their arrival (MQTT 5 section 4.6), in
 * whatever order they are stored.
 */
export class OrderedAcks {
  readonly #open: { messageId: number; isStored: boolean }[] = []
  readonly #send: (messageIds: readonly number[]) => void

  constructor(send: (messageIds: readonly number[]) => void) {
    this.#send = send
  }

  /** The number of messages that are not acknowledged yet. */
  get size(): number {
    return this.#open.length
  }

  /** Adds a message; the caller calls the returned function once it is stored. */
  expect(messageId: number): () => void {
    const one = { messageId, isStored: false }
    this.#open.push(one)
    return () => {
      one.isStored = true
      const waiting = this.#open.findIndex(({ isStored }) => !isStored)
      const stored = this.#open.splice(0, waiting < 0 ? this.#open.length : waiting)
      if (stored.length > 0) this.#send(stored.map((each) => each.messageId))
    }
  }
}

/** PUBACK packets without a reason code, which means success in MQTT 3.1.1 and 5. */
export function pubacks(messageIds: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(messageIds.length * 4)
  for (const [at, messageId] of messageIds.entries()) {
    bytes.writeUInt16BE(0x4002, at * 4)
    bytes.writeUInt16BE(messageId, at * 4 + 2)
  }
  return bytes
}
