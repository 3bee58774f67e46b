type RecordFailure = { index: number; reason: string }
type MessageFailures = { whole?: string; records: RecordFailure[] }

type FailedMessage<Message> = {
  message: Message
  indexes: number[] | undefined
  reason: string
}

const REASONS_SHOWN = 5

/** Collects the failures of each message, so that a message becomes one reject. */
export class FailedRecords<Message> {
  readonly #failed = new Map<Message, MessageFailures>()
  readonly #several = new Set<Message>()

  get size(): number {
    return this.#failed.size
  }

  /** The number of failed records; a message that failed as a whole counts as one. */
  get recordCount(): number {
    let count = 0
    for (const { whole, records } of this.#failed.values())
      count += whole === undefined ? records.length : 1
    return count
  }

  /** Notes that a message has more records than one. */
  noteSeveral(message: Message): void {
    this.#several.add(message)
  }

  addMessage(message: Message, reason: string): void {
    this.#failuresOf(message).whole = reason
  }

  addRecord(message: Message, failure: RecordFailure): void {
    this.#failuresOf(message).records.push(failure)
  }

  /**
   * The failed ones of these messages, each with the reason and, where it has several records, the
   * indexes of those that failed.
   */
  list(messages: readonly Message[]): FailedMessage<Message>[] {
    return messages.flatMap((message): FailedMessage<Message>[] => {
      const { whole, records } = this.#failed.get(message) ?? {}
      if (records === undefined) return []
      if (whole !== undefined) return [{ message, indexes: undefined, reason: whole }]
      const sorted = records.toSorted((one, other) => one.index - other.index)
      if (!this.#several.has(message))
        return [{ message, indexes: undefined, reason: sorted[0]?.reason ?? '' }]
      const shown = sorted.slice(0, REASONS_SHOWN)
      const more = sorted.length - shown.length
      const reasons = shown.map(({ index, reason }) => `record ${index}: ${reason}`)
      const reason = [...reasons, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
      return [{ message, indexes: sorted.map(({ index }) => index), reason }]
    })
  }

  #failuresOf(message: Message): MessageFailures {
    return this.#failed.getOrInsertComputed(message, () => ({ records: [] }))
  }
}
