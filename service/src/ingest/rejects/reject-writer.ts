import type { RejectLimits, Reject, RejectStore } from '../../storage/storage.ts'
import { MinuteLines } from '../minute-lines.ts'
import { withoutQuotes } from './without-quotes.ts'

type RejectWriterOptions = {
  store: Pick<RejectStore, 'add'>
  keep: RejectLimits
  log: { warn(fields: object, message: string): void }
  /** Whether the rejects are shown in another way than in the log. */
  isQuiet?: boolean
}

/** Rejects of one source: their number, and the reason of the first one. */
type RejectSums = { source: string; rejects: number; reason: string }

/**
 * Stores rejects within limits. Logs them, without what was sent, and how many older ones were dropped
 * for them: at most one line a minute of each source.
 */
export class RejectWriter implements Disposable {
  readonly #options: RejectWriterOptions
  readonly #lines: MinuteLines<number>
  readonly #rejected: MinuteLines<RejectSums>

  constructor(options: RejectWriterOptions) {
    this.#options = options
    this.#lines = new MinuteLines({
      write: (source, dropped) => options.log.warn({ source, dropped }, DROPPED),
      add: (one, other) => one + other,
    })
    this.#rejected = new MinuteLines({
      write: (_source, sums) => options.log.warn(sums, REJECTED),
      add: (one, other) => ({ ...one, rejects: one.rejects + other.rejects }),
    })
  }

  /** With `isLogged` the caller has logged them. */
  async add(rejects: readonly Reject[], { isLogged = false } = {}): Promise<void> {
    const { store, keep, isQuiet = false } = this.#options
    if (!isQuiet && !isLogged) this.#note(rejects)
    for (const { source, dropped } of await store.add(rejects, keep))
      this.#lines.note(source, dropped)
  }

  #note(rejects: readonly Reject[]): void {
    // The lines of requests name those of line protocol.
    const others = rejects.filter(({ kind }) => kind !== 'influx')
    for (const [source, own] of Map.groupBy(others, (reject) => reject.source)) {
      const reason = withoutQuotes(own[0]?.reason ?? '')
      this.#rejected.note(source, { source, rejects: own.length, reason })
    }
  }

  [Symbol.dispose](): void {
    this.#rejected[Symbol.dispose]()
    this.#lines[Symbol.dispose]()
  }
}

const REJECTED = 'records were rejected; "plumbline rejects list" shows them'

const DROPPED =
  'older rejects were dropped for newer ones: ingest.keepRejects, ingest.keepRejectedMegabytesPerSource and ingest.keepRejectedMegabytes limit them'
