import type { IngestReport } from '@plumbline/contract'
import { MinuteLines } from '../minute-lines.ts'
import { withoutQuotes } from './without-quotes.ts'
import { noCounts, type SourceCounts, type DataSourceState } from '../data-source-state.ts'

/** Requests of one origin and ingest key with rejected records. */
type RejectedRequests = {
  origin: string
  key: string
  requests: number
  accepted: number
  rejected: number
  reason: string
}

type RequestLog = { warn(fields: object, message: string): void }

/**
 * Counts the requests of each origin, and logs those with rejected records.
 *
 * A line names the origin and the ingest key; each pair has at most one line a minute.
 */
export class RequestCounts implements Disposable {
  readonly #counts = new Map<string, SourceCounts>()
  readonly #lines: MinuteLines<RejectedRequests>

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

  /** Counts a request; `origin` is `http raw`, for example. */
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

  states(): DataSourceState[] {
    return Array.from(this.#counts, ([origin, counts]) => ({
      origin,
      counts: { ...counts },
    })).toSorted((a, b) => (a.origin < b.origin ? -1 : 1))
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]()
  }

  #countsOf(origin: string): SourceCounts {
    return this.#counts.getOrInsertComputed(origin, noCounts)
  }
}
