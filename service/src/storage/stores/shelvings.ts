/** Why a shelving ended before its time. */
export type ShelvingEnd = 'person' | 'escalation' | 'close'

export type NewShelving = {
  alarm: number
  startsAt: number
  endsAt: number
  comment: string
  sponsor: string
}

export type StoredShelving = NewShelving & {
  /** When and why it ended before its time; null where it did not. */
  endedAt: number | null
  endedBy: ShelvingEnd | null
}

/** The times for which alarms are shelved. */
export interface ShelvingStore {
  /** Shelves alarms; a shelving of one that is under way ends as it begins. */
  add(shelvings: readonly NewShelving[]): Promise<void>

  /** Ends the shelvings of an alarm that are under way; false where none is. */
  end(alarm: number, now: number, by: ShelvingEnd): Promise<boolean>

  /** The shelvings of an alarm, oldest first. */
  list(alarm: number): Promise<StoredShelving[]>

  /** The shelvings of some alarms. */
  listOf(alarms: readonly number[]): Promise<StoredShelving[]>
}
