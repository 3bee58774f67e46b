type Failure = { index: number; reason: string }
type Failed = { whole?: string; records: Failure[] }

type FailedMessage<Of> = { of: Of; indexes: number[] | undefined; reason: string }

const REASONS_SHOWN = 5

/** Collects what of each message could not be stored, so that a message is refused once. */
export class FailedRecords<Of> {
  readonly #failed = new Map<Of, Failed>()
  readonly #several = new Set<Of>()

  get size(): number {
    return this.#failed.size
  }

  /** How many records failed; a message that failed as a whole is one. */
  get recordCount(): number {
    let count = 0
    for (const { whole, records } of this.#failed.values())
      count += whole === undefined ? records.length : 1
    return count
  }

  /** Notes that a message has more records than one. */
  hasSeveral(of: Of): void {
    this.#several.add(of)
  }

  addMessage(of: Of, reason: string): void {
    this.#at(of).whole = reason
  }

  addRecord(of: Of, failure: Failure): void {
    this.#at(of).records.push(failure)
  }

  /**
   * The given messages that failed, each with the reason, and the indexes of the records that failed
   * where it has several.
   */
  list(messages: readonly Of[]): FailedMessage<Of>[] {
    return messages.flatMap((of): FailedMessage<Of>[] => {
      const { whole, records } = this.#failed.get(of) ?? {}
      if (records === undefined) return []
      if (whole !== undefined) return [{ of, indexes: undefined, reason: whole }]
      const sorted = records.toSorted((one, other) => one.index - other.index)
      if (!this.#several.has(of))
        return [{ of, indexes: undefined, reason: sorted[0]?.reason ?? '' }]
      const shown = sorted.slice(0, REASONS_SHOWN)
      const more = sorted.length - shown.length
      const reasons = shown.map(({ index, reason }) => `record ${index}: ${reason}`)
      const reason = [...reasons, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
      return [{ of, indexes: sorted.map(({ index }) => index), reason }]
    })
  }

  #at(of: Of): Failed {
    const known = this.#failed.get(of)
    if (known !== undefined) return known
    const fresh: Failed = { records: [] }
    this.#failed.set(of, fresh)
    return fresh
  }
}
