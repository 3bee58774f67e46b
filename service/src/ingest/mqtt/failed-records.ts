type Failure = { index: number; reason: string }
type Failed = { whole?: string; records: Failure[] }

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
   * Those of the given messages that failed, each with the reason, and `#1,3` where some of several records are meant.
   *
   * A topic holds no `#`, so `site/a#1,3` can be told apart.
   */
  list(messages: readonly Of[]): { of: Of; places: string; reason: string }[] {
    return messages.flatMap((of) => {
      const { whole, records } = this.#failed.get(of) ?? {}
      if (records === undefined) return []
      if (whole !== undefined) return [{ of, places: '', reason: whole }]
      const sorted = records.toSorted((one, other) => one.index - other.index)
      if (!this.#several.has(of)) return [{ of, places: '', reason: sorted[0]!.reason }]
      const shown = sorted.slice(0, REASONS_SHOWN)
      const more = sorted.length - shown.length
      const reasons = shown.map(({ index, reason }) => `record ${index}: ${reason}`)
      const reason = [...reasons, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
      return [{ of, places: `#${sorted.map(({ index }) => index).join(',')}`, reason }]
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

/** The topic of a refusal, and which of the message's records are meant; undefined: all. */
export function parsePlace(place: string): {
  topic: string
  indexes: ReadonlySet<number> | undefined
} {
  const at = place.indexOf('#')
  if (at < 0) return { topic: place, indexes: undefined }
  return {
    topic: place.slice(0, at),
    indexes: new Set(
      place
        .slice(at + 1)
        .split(',')
        .map(Number),
    ),
  }
}
