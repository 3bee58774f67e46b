import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { RefusedError } from '../../errors/refused-error.ts'
import { Turn } from '../../concurrency/turn.ts'
import type { Reject } from '../../storage/storage.ts'
import type { RejectOrigin } from '../../domain/rejects/reject-origin.ts'
import { describePlace, formatContext } from './message-context.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { Rejects } from '../rejects/rejects.ts'
import { FailedRecords } from './failed-records.ts'
import type { MappedRecord, Message, PayloadMapping, RawRecord } from './payload-mapping.ts'

export type MessageIngestOptions = {
  ingest: Pick<RecordIngest, 'raw' | 'clock'>
  rejects: Pick<Rejects, 'add'>
  /** Where its rejects came in. */
  origin: RejectOrigin
  mappings: readonly PayloadMapping[]
  log: Logger
}

/** What has become of messages since the start. */
export type SourceCounts = {
  /** Messages or requests. */
  messages: number
  records: number
  replaced: number
  /** Messages or requests of which anything was rejected. */
  refused: number
  /** Records that were rejected; a message that cannot be read is one. */
  rejected: number
}

type Entry = {
  message: Message
  settled: PromiseWithResolvers<void>
  /** Running time at its arrival, where the clock was wrong then. */
  arrivedAt?: number
}
type Item = { entry: Entry; index: number; record: RawRecord }

/** Messages that are stored at once, and such groups of messages at a time. */
const BATCH_MAXIMUM = 1000
const BATCHES_AT_ONCE = 2

const FIRST_WAIT_MILLISECONDS = 250
const LONGEST_WAIT_MILLISECONDS = 5000

/** Stores messages in batches: whatever came while one was stored goes into the next. */
export class MessageIngest implements AsyncDisposable {
  readonly counts: SourceCounts = {
    messages: 0,
    records: 0,
    replaced: 0,
    refused: 0,
    rejected: 0,
  }
  readonly #options: MessageIngestOptions
  readonly #waiting: Entry[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  #isScheduled = false

  constructor(options: MessageIngestOptions) {
    this.#options = options
  }

  /**
   * Resolves once everything of a message is durable: its records, and what had to be refused.
   *
   * While nothing can be stored it waits. It rejects only when the ingest is closed meanwhile.
   */
  take(message: Message): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.reject(closed())
    const settled = Promise.withResolvers<void>()
    this.#waiting.push({ message, settled, ...this.#whileClockIsWrong() })
    this.#schedule()
    return settled.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    for (const { settled } of this.#waiting.splice(0)) settled.reject(closed())
    await Promise.all(this.#running)
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running.size >= BATCHES_AT_ONCE) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const entries = this.#waiting.splice(0, BATCH_MAXIMUM)
      if (entries.length === 0) return
      const run = this.#settle(entries).finally(() => {
        this.#running.delete(run)
        if (this.#waiting.length > 0) this.#schedule()
      })
      this.#running.add(run)
      if (this.#waiting.length > 0) this.#schedule()
    })
  }

  #whileClockIsWrong(): Pick<Entry, 'arrivedAt'> {
    try {
      this.#options.ingest.clock.require()
      return {}
    } catch {
      return { arrivedAt: performance.now() }
    }
  }

  /** Dates what came while the clock was wrong by the right one. */
  #date(entry: Entry, now: number): void {
    if (entry.arrivedAt === undefined) return
    const receivedAt = now - Math.round(performance.now() - entry.arrivedAt)
    entry.message = { ...entry.message, receivedAt }
    delete entry.arrivedAt
  }

  async #settle(entries: readonly Entry[]): Promise<void> {
    try {
      await this.#storeSurely(entries)
      for (const { settled } of entries) settled.resolve()
    } catch (error) {
      for (const { settled } of entries) settled.reject(error)
    }
  }

  /** Stores as soon as that is possible; a message at which storing itself fails is rejected. */
  async #storeSurely(entries: readonly Entry[]): Promise<void> {
    const failure = await this.#untilPossible(() => this.#store(entries))
    if (failure === undefined) return
    if (entries.length > 1) {
      for (const entry of entries) await this.#storeSurely([entry])
      return
    }
    const failed = new FailedRecords<Entry>()
    failed.addMessage(entries[0]!, `it could not be stored: ${failure.message}`)
    const again = await this.#untilPossible(() => this.#refuse(entries, failed))
    if (again !== undefined) throw again
  }

  /** Tries until storage takes it; gives the error that no waiting helps against. */
  async #untilPossible(work: () => Promise<void>): Promise<Error | undefined> {
    const { signal } = this.#stop
    for (
      let pause = FIRST_WAIT_MILLISECONDS;
      ;
      pause = Math.min(pause * 2, LONGEST_WAIT_MILLISECONDS)
    ) {
      try {
        await work()
        return undefined
      } catch (error) {
        if (signal.aborted) throw error
        if (!isPassing(error)) return error as Error
        // What is wrong with the clock is said once, by whoever watches it.
        const level = this.#whileClockIsWrong().arrivedAt === undefined ? 'warn' : 'debug'
        this.#options.log[level](
          `${this.#options.origin.origin}: messages wait, for they cannot be stored: ${(error as Error).message}`,
        )
        await wait(pause, undefined, { signal, ref: false })
      }
    }
  }

  async #store(entries: readonly Entry[]): Promise<void> {
    const failed = new FailedRecords<Entry>()
    const plain: Item[] = []
    const merged: Item[] = []
    const { now } = this.#options.ingest.clock.arrive()
    const turn = new Turn()
    for (const entry of entries) {
      this.#date(entry, now)
      const found = await this.#read(entry.message)
      if ('problem' in found) failed.addMessage(entry, found.problem)
      else this.#sort(entry, found, { failed, plain, merged })
      if (turn.isOver()) await turn.pass()
    }

    const stored = await Promise.all([
      this.#ingest(plain, false, failed),
      this.#ingest(merged, true, failed),
    ])
    await this.#refuse(entries, failed)
    this.counts.messages += entries.length
    for (const { accepted, replaced } of stored) {
      this.counts.records += accepted
      this.counts.replaced += replaced
    }
  }

  #sort(
    entry: Entry,
    { records, isMerged }: { records: readonly MappedRecord[]; isMerged: boolean },
    into: { failed: FailedRecords<Entry>; plain: Item[]; merged: Item[] },
  ): void {
    if (records.length > 1) into.failed.hasSeveral(entry)
    for (const [index, one] of records.entries()) {
      if ('problem' in one) into.failed.addRecord(entry, { index, reason: one.problem })
      else (isMerged ? into.merged : into.plain).push({ entry, index, record: one.record })
    }
  }

  async #read(message: Message) {
    for (const mapping of this.#options.mappings) {
      const found = mapping.read(message)
      if (found !== undefined) return { isMerged: mapping.isMerged, ...(await found) }
    }
    return { problem: 'no subscription of the settings means this topic' }
  }

  async #ingest(items: readonly Item[], merge: boolean, failed: FailedRecords<Entry>) {
    if (items.length === 0) return { accepted: 0, replaced: 0 }
    const records = items.map(({ record }) => record)
    const report = await this.#options.ingest.raw(records, { merge })
    for (const { index: at, message: reason } of report.rejected) {
      const { entry, index } = items[at]!
      failed.addRecord(entry, { index, reason })
    }
    return report
  }

  async #refuse(entries: readonly Entry[], failed: FailedRecords<Entry>): Promise<void> {
    if (failed.size === 0) return
    const { rejects, origin } = this.#options
    const kept = failed.list(entries).map(({ of: { message }, indexes, reason }): Reject => ({
      ...origin,
      place: describePlace(message.topic, indexes),
      reason,
      payload: message.payload,
      receivedAt: message.receivedAt,
      context: formatContext({ topic: message.topic, indexes }),
    }))
    await rejects.add(kept)
    this.counts.refused += failed.size
    this.counts.rejected += failed.recordCount
  }
}

const closed = () => new Error('the ingest is closed')

const isPassing = (error: unknown): boolean =>
  error instanceof RefusedError && error.reason === 'unavailable'
