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
  enteredAt: number
}

export interface ManualReadingStore {
  /** The newest readings of a window, at most `limit`; of one instant the last entered comes first. */
  list(query: {
    station: number
    from: number
    to: number
    limit: number
  }): Promise<ManualReading[]>
}
