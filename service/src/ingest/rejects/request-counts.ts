import type { IngestReport } from '@plumbline/contract'
import type { SourceState } from '../source-state.ts'
import { MinuteLines } from '../minute-lines.ts'
import type { SourceCounts } from '../mqtt/message-ingest.ts'

/** Requests of one way and key of which records were rejected. */
type Rejected = {
  origin: string
  key: string
  requests: number
  accepted: number
  rejected: number
  reason: string
}

type RequestLog = { warn(fields: object, message: string): void }

/** What was sent is no matter for the log: a column out of place may hold a plate. */
const withoutQuotes = (sentence: string): string =>
  sentence.replaceAll(/"(?:[^"\\]|\\.)*(?:"|$)/gs, '"…"')

/**
 * Counts what came in by requests, of each way, and logs which of them had rejected records.
 *
 * A line names the way and the key by its name; of one way and key there is one line a minute.
 */
export class RequestCounts implements Disposable {
  readonly #counts = new Map<string, SourceCounts>()
  readonly #lines: MinuteLines<Rejected>

  constructor(log: RequestLog) {
    this.#lines = new MinuteLines({
      write: (_name, sums) => log.warn(sums, 'records of requests were rejected'),
      add: (one, other) => ({
        ...one,
        requests: one.requests + other.requests,
        accepted: one.accepted + other.accepted,
        rejected: one.rejected + other.rejected,
      }),
    })
  }

  /** Counts a request that came in by a way such as `http raw`. */
  note(origin: string, key: string, { accepted, replaced, rejected }: IngestReport): void {
    const counts = this.#countsOf(origin)
    counts.messages++
    counts.records += accepted
    counts.replaced += replaced
    const [first] = rejected
    if (first === undefined) return
    counts.refused++
    counts.rejected += rejected.length
    const reason = withoutQuotes(first.message)
    const sums = { origin, key, requests: 1, accepted, rejected: rejected.length, reason }
    this.#lines.note(JSON.stringify([origin, key]), sums)
  }

  states(): SourceState[] {
    return Array.from(this.#counts, ([origin, counts]) => ({
      origin,
      counts: { ...counts },
    })).toSorted((a, b) => (a.origin < b.origin ? -1 : 1))
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]()
  }

  #countsOf(origin: string): SourceCounts {
    const fresh = { messages: 0, records: 0, replaced: 0, refused: 0, rejected: 0 }
    return this.#counts.getOrInsert(origin, fresh)
  }
}
