import type { SourceCounts } from './mqtt/message-ingest.ts'

/** How a way in is doing, for whoever operates. */
export type SourceState = {
  /** `mqtt <name>`, `broker`, `influx` or `http <way>`; as rejects name it where there are any. */
  origin: string
  /** How many connections this instance should have, and how many it has; a request has none. */
  connections?: number
  connected?: number
  /** Since the start. */
  counts: SourceCounts
}
