import type { RejectLimits, Reject, RejectStore } from '../../storage/storage.ts'
import { MinuteLines } from '../minute-lines.ts'

type RejectWriterOptions = {
  store: Pick<RejectStore, 'add'>
  keep: RejectLimits
  log: { warn(fields: object, message: string): void }
}

/** Stores rejects within limits, and logs how many older ones were dropped for them. */
export class RejectWriter implements Disposable {
  readonly #options: RejectWriterOptions
  readonly #lines: MinuteLines<number>

  constructor(options: RejectWriterOptions) {
    this.#options = options
    this.#lines = new MinuteLines({
      write: (source, dropped) => options.log.warn({ source, dropped }, DROPPED),
      add: (one, other) => one + other,
    })
  }

  async add(rejects: readonly Reject[]): Promise<void> {
    const { store, keep } = this.#options
    for (const { source, dropped } of await store.add(rejects, keep))
      this.#lines.note(source, dropped)
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]()
  }
}

const DROPPED =
  'older rejects were dropped for newer ones: ingest.keepRejects, ingest.keepRejectedMegabytesPerSource and ingest.keepRejectedMegabytes limit them'
