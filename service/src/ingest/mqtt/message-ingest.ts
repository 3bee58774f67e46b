import { setTimeout } from 'node:timers/promises'
import type { Replacement } from '@plumbline/contract'
import type { Logger } from 'pino'
import { describeFailure } from '../../errors/describe-failure.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { toError } from '../../errors/thrown.ts'
import { Turn } from '../../concurrency/turn.ts'
import type { Reject } from '../../storage/storage.ts'
import type { RejectOrigin } from '../../domain/rejects/reject-origin.ts'
import { describePlace, formatContext } from './message-context.ts'
import type { RecordIngest } from '../record-ingest.ts'
import type { RejectWriter } from '../rejects/reject-writer.ts'
import { rejectedRow } from '../records/report.ts'
import { FailedRecords } from './failed-records.ts'
import { noCounts } from '../data-source-state.ts'
import {
  NO_SUBSCRIPTION,
  type MappedRecord,
  type MessageRecord,
  type PayloadMapping,
  type ReceivedMessage,
} from './payload-mapping.ts'

type MessageIngestOptions = {
  ingest: Pick<RecordIngest, 'raw' | 'clock' | 'ofKey'>
  rejects: Pick<RejectWriter, 'add'>
  /** The origin of its rejects. */
  origin: RejectOrigin
  mappings: readonly PayloadMapping[]
  log: Logger
}

type WaitingMessage = {
  message: ReceivedMessage
  stored: PromiseWithResolvers<void>
  /** The monotonic time of its arrival, where the clock was wrong then. */
  arrivedAt?: number
}
type WaitingRecord = { entry: WaitingMessage; index: number; record: MessageRecord }
/** The records of a group, by what they do to stored ones. */
type ReadRecords = Record<Replacement, WaitingRecord[]> & { empty: number }

/** Messages that are stored together, and such groups of messages at a time. */
const GROUP_MAXIMUM = 1000
const GROUPS_AT_ONCE = 2

const FIRST_PAUSE_MILLISECONDS = 250
const LONGEST_PAUSE_MILLISECONDS = 5000

/** Stores messages in groups: those that arrive while one group is stored form the next. */
export class MessageIngest implements AsyncDisposable {
  readonly counts = noCounts()
  readonly #options: MessageIngestOptions
  readonly #waiting: WaitingMessage[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  #isScheduled = false

  constructor(options: MessageIngestOptions) {
    this.#options = options
  }

  /**
   * Resolves once everything of a message is durable: its records and its rejects.
   *
   * While nothing can be stored it waits. It fails only when the ingest is closed meanwhile.
   */
  take(message: ReceivedMessage): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.reject(closed())
    const stored = Promise.withResolvers<void>()
    this.#waiting.push({ message, stored, ...this.#whileClockIsWrong() })
    this.#schedule()
    return stored.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    for (const { stored } of this.#waiting.splice(0)) stored.reject(closed())
    await Promise.all(this.#running)
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running.size >= GROUPS_AT_ONCE) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      const entries = this.#waiting.splice(0, GROUP_MAXIMUM)
      if (entries.length === 0) return
      const run = this.#storeGroup(entries).finally(() => {
        this.#running.delete(run)
        if (this.#waiting.length > 0) this.#schedule()
      })
      this.#running.add(run)
      if (this.#waiting.length > 0) this.#schedule()
    })
  }

  #whileClockIsWrong(): Pick<WaitingMessage, 'arrivedAt'> {
    try {
      this.#options.ingest.clock.require()
      return {}
    } catch {
      return { arrivedAt: performance.now() }
    }
  }

  /** Corrects the arrival of a message that arrived while the clock was wrong. */
  #correctArrival(entry: WaitingMessage, now: number): void {
    if (entry.arrivedAt === undefined) return
    const receivedAt = now - Math.round(performance.now() - entry.arrivedAt)
    entry.message = { ...entry.message, receivedAt }
    delete entry.arrivedAt
  }

  async #storeGroup(entries: readonly WaitingMessage[]): Promise<void> {
    try {
      await this.#storeOrReject(entries)
      for (const { stored } of entries) stored.resolve()
    } catch (error) {
      for (const { stored } of entries) stored.reject(error)
    }
  }

  /** Stores as soon as that is possible; a message that makes storing fail is rejected. */
  async #storeOrReject(entries: readonly WaitingMessage[]): Promise<void> {
    const failure = await this.#retry(() => this.#store(entries))
    if (failure === undefined) return
    if (entries.length > 1) {
      for (const entry of entries) await this.#storeOrReject([entry])
      return
    }
    const failed = new FailedRecords<WaitingMessage>()
    for (const entry of entries)
      failed.addMessage(entry, `it could not be stored: ${failure.message}`)
    const rejection = await this.#retry(() => this.#reject(entries, failed))
    if (rejection !== undefined) throw rejection
  }

  /** Repeats the work while storage is unavailable; returns any other error. */
  async #retry(work: () => Promise<void>): Promise<Error | undefined> {
    const { signal } = this.#stop
    for (
      let pause = FIRST_PAUSE_MILLISECONDS;
      ;
      pause = Math.min(pause * 2, LONGEST_PAUSE_MILLISECONDS)
    ) {
      try {
        await work()
        return undefined
      } catch (error) {
        if (signal.aborted) throw error
        if (!isUnavailable(error)) return toError(error)
        // The clock monitor logs a wrong clock once.
        const level = this.#whileClockIsWrong().arrivedAt === undefined ? 'warn' : 'debug'
        const { log, origin } = this.#options
        log[level](describeFailure(`${origin.origin}: storing messages`, error, pause))
        await setTimeout(pause, undefined, { signal, ref: false })
      }
    }
  }

  async #store(entries: readonly WaitingMessage[]): Promise<void> {
    const failed = new FailedRecords<WaitingMessage>()
    const read: ReadRecords = { keys: [], whole: [], empty: 0 }
    const { now } = this.#options.ingest.clock.arrive()
    const turn = new Turn()
    for (const entry of entries) {
      this.#correctArrival(entry, now)
      const found = await this.#read(entry.message)
      if ('problem' in found) failed.addMessage(entry, found.problem)
      else this.#sort(entry, found, { failed, read })
      if (turn.isOver()) await turn.pass()
    }

    const stored = await Promise.all([
      this.#ingest(read.keys, 'keys', failed),
      this.#ingest(read.whole, 'whole', failed),
    ])
    await this.#reject(entries, failed)
    this.counts.messages += entries.length
    this.counts.empty += read.empty
    for (const { accepted, replaced } of stored) {
      this.counts.records += accepted
      this.counts.replaced += replaced
    }
  }

  #sort(
    entry: WaitingMessage,
    { records, replace }: { records: readonly MappedRecord[]; replace: Replacement },
    into: { failed: FailedRecords<WaitingMessage>; read: ReadRecords },
  ): void {
    if (records.length > 1) into.failed.noteSeveral(entry)
    for (const [index, one] of records.entries()) {
      if ('problem' in one) into.failed.addRecord(entry, { index, reason: one.problem })
      else if ('isEmpty' in one) into.read.empty++
      else into.read[replace].push({ entry, index, record: one.record })
    }
  }

  async #read(message: ReceivedMessage) {
    for (const mapping of this.#options.mappings) {
      const found = mapping.read(message)
      if (found !== undefined) return { replace: mapping.replace, ...(await found) }
    }
    return { problem: NO_SUBSCRIPTION }
  }

  async #ingest(
    items: readonly WaitingRecord[],
    replace: Replacement,
    failed: FailedRecords<WaitingMessage>,
  ) {
    const sum = { accepted: 0, replaced: 0 }
    const bySender = Map.groupBy(items, ({ entry }) => entry.message.targets ?? null)
    for (const [targets, group] of bySender) {
      const records = group.map(({ record }) => record)
      const report = await this.#options.ingest.ofKey(targets).raw(records, { replace })
      for (const { index: at, message: reason } of report.rejected) {
        const { entry, index } = rejectedRow(group, at)
        failed.addRecord(entry, { index, reason })
      }
      sum.accepted += report.accepted
      sum.replaced += report.replaced
    }
    return sum
  }

  async #reject(
    entries: readonly WaitingMessage[],
    failed: FailedRecords<WaitingMessage>,
  ): Promise<void> {
    if (failed.size === 0) return
    const { rejects, origin } = this.#options
    const kept = failed.list(entries).map(({ message: { message }, indexes, reason }): Reject => ({
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

const isUnavailable = (error: unknown): boolean =>
  error instanceof RefusedError && error.reason === 'unavailable'
