/** What came in and could not be stored. */
export type Reject = {
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

/** How many rejected records are kept; a bound that is left out does not bound. */
export type RejectLimits = {
  /** Of one origin. */
  records: number
  /** Bytes of one source: of a way in, or of all files of a folder. */
  sourceBytes?: number
  /** Bytes in all. */
  bytes?: number
}

/** Rejected records of a source that gave way to newer ones. */
export type DroppedRejects = { source: string; dropped: number }

export interface RejectStore {
  /**
   * Keeps rejects; beyond what is kept the oldest of the same source give way, and are counted.
   *
   * Where all sources together have too many bytes, those that have most give way.
   */
  add(rejects: readonly Reject[], keep: RejectLimits): Promise<DroppedRejects[]>

  /** A refusal with its context. */
  find(id: number): Promise<(Reject & { id: number }) | undefined>

  /** Newest first, without their contexts; `before` is the last id of the page above. */
  list(query: {
    origin?: string | undefined
    before?: number | undefined
    limit: number
  }): Promise<(Reject & { id: number })[]>

  /** Every origin that ever had one, in the order of their names. */
  count(): Promise<{ origin: string; kept: number; dropped: number }[]>

  remove(ids: readonly number[]): Promise<{ removed: number }>
}
