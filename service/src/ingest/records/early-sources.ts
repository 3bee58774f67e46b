import { inSlices } from '../../concurrency/in-slices.ts'
import { timelinessOf } from '../../domain/time/timeliness.ts'
import type { EarlyKind, Storage } from '../../storage/storage.ts'

/** How long a list of sources ahead is used before it is read again. */
const LIST_VALID_MILLISECONDS = 10_000

type SourceOf<Row> = (row: Row) => number | string

/**
 * Notes for operators which sources have a clock that is ahead.
 *
 * The times of such a sensor do not say when it was alive: until the clock of the service reaches
 * them, the arrival of its raw records counts as contact.
 */
export class EarlySources {
  readonly #storage: Pick<Storage, 'earlyRecords' | 'devices'>
  readonly #tolerance: number
  /** Up to which time records of sensors lie ahead, and when that was looked up. */
  #throughs: ReadonlyMap<string, number> = new Map()
  #knownAt = -Infinity

  constructor(storage: Pick<Storage, 'earlyRecords' | 'devices'>, tolerance: number) {
    this.#storage = storage
    this.#tolerance = tolerance
  }

  /** Notes which records that were stored at an instant are early. */
  async note<Row extends { time: number }>(
    kind: EarlyKind,
    rows: readonly Row[],
    sourceOf: SourceOf<Row>,
    now: number,
  ): Promise<void> {
    const through = new Map<string, number>()
    await inSlices(rows, (row) => {
      const { time } = row
      if (timelinessOf(time, now, this.#tolerance) !== 'early') return
      const id = String(sourceOf(row))
      through.set(id, Math.max(through.get(id) ?? -Infinity, time))
    })
    if (through.size > 0) {
      const sources = Array.from(through, ([source, time]) => ({ kind, source, through: time }))
      await this.#storage.earlyRecords.noteSources(sources, now)
      this.#knownAt = -Infinity
    }
    if (kind === 'raw') await this.#noteContacts(rows, sourceOf, now)
  }

  async #noteContacts<Row extends { time: number }>(
    rows: readonly Row[],
    sourceOf: SourceOf<Row>,
    now: number,
  ): Promise<void> {
    await this.#lookUp(now)
    if (this.#throughs.size === 0) return
    const contacts = new Map<string, number>()
    await inSlices(rows, (row) => {
      const device = String(sourceOf(row))
      if (row.time > (this.#throughs.get(device) ?? -Infinity)) return
      contacts.set(device, Math.max(contacts.get(device) ?? -Infinity, Math.min(row.time, now)))
    })
    if (contacts.size === 0) return
    const signs = Array.from(contacts, ([device, time]) => ({ device, time }))
    await this.#storage.devices.writeContacts(signs, now)
  }

  async #lookUp(now: number): Promise<void> {
    if (Math.abs(now - this.#knownAt) < LIST_VALID_MILLISECONDS) return
    const sources = await this.#storage.earlyRecords.listSources()
    const ofSensors = sources.filter(({ kind }) => kind === 'raw')
    this.#throughs = new Map(ofSensors.map(({ source, through }) => [source, through]))
    this.#knownAt = now
  }
}
