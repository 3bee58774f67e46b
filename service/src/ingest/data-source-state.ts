/** The state of one origin of records, for operators. */
export type DataSourceState = {
  /** `mqtt <name>`, `broker`, `influx` or `http <kind>`; rejects have the same origin. */
  origin: string
  /** How many connections this instance should have, and how many it has; a request has none. */
  connections?: number
  connected?: number
  /** Since the start. */
  counts: SourceCounts
}

export type SourceCounts = {
  /** Messages or requests. */
  messages: number
  records: number
  replaced: number
  /** Messages or requests with a rejected record. */
  refused: number
  /** Rejected records; a message that cannot be read counts as one. */
  rejected: number
  /** Records without a value that a topic ignores. */
  empty: number
}

export const noCounts = (): SourceCounts => ({
  messages: 0,
  records: 0,
  replaced: 0,
  refused: 0,
  rejected: 0,
  empty: 0,
})
