/** What came in and could not be stored. */
export type Refusal = {
  /** Where it came in: `mqtt <name>`, `broker`, `file <path>`, `influx`. */
  origin: string
  /** What it is called there: a topic, a line number. */
  place: string
  /** The sentence that says why. */
  reason: string
  /** The bytes as they came. */
  payload: Uint8Array
  receivedAt: number
  /** What else is needed to store it later; whoever keeps it and whoever replays it know the form. */
  context?: string | undefined
}

export interface RefusalStore {
  /** Keeps refusals; beyond `keep` of one origin the oldest give way, and are counted. */
  add(refusals: readonly Refusal[], keep: number): Promise<void>

  /** A refusal with its context. */
  find(id: number): Promise<(Refusal & { id: number }) | undefined>

  /** Newest first, without their contexts; `before` is the last id of the page above. */
  list(query: {
    origin?: string | undefined
    before?: number | undefined
    limit: number
  }): Promise<(Refusal & { id: number })[]>

  /** Every origin that ever had one, in the order of their names. */
  count(): Promise<{ origin: string; kept: number; dropped: number }[]>

  remove(ids: readonly number[]): Promise<{ removed: number }>
}

/** How far a source has been read that is read on from where it ended. */
export interface PositionStore {
  find(name: string): Promise<string | undefined>

  set(name: string, position: string): Promise<void>
}
