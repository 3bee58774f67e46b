/** A manual reading with its author. */
export type ManualReading = {
  station: number
  time: number
  /** The person who measured it. */
  author: string
  /** The user who entered it. */
  userId: number
  note: string
  /** The record as it was entered; the stored record may be a later one. */
  record: string
  /** The marks that were entered with the values, as JSON; `null` without any. */
  quality: string | null
  enteredAt: number
  /** The change that stored it; `null` for readings that were entered before readings were changes. */
  change: number | null
}

/** A reading as it is listed. */
export type StoredReading = ManualReading & {
  /** When its change was undone; `null` while it is not. */
  undoneAt: number | null
}

export interface ManualReadingStore {
  /** The newest readings of a window, at most `limit`; of one instant the last entered comes first. */
  list(query: {
    station: number
    from: number
    to: number
    limit: number
  }): Promise<StoredReading[]>

  /** The reading that was entered last for an instant; undefined without one. */
  findLatest(station: number, time: number): Promise<StoredReading | undefined>
}
