/** A record that somebody measured by hand, and who. */
export type ManualReading = {
  station: number
  time: number
  /** Who measured it. */
  author: string
  /** Who entered it. */
  userId: number
  note: string
  /** The record as it was entered; a later one may have taken its place. */
  record: string
  enteredAt: number
}

export interface ManualReadingStore {
  /** The newest so many between two instants, both inclusive; of one instant the last entered first. */
  list(query: {
    station: number
    from: number
    to: number
    limit: number
  }): Promise<ManualReading[]>
}
