import { inSlices } from '../../concurrency/in-slices.ts'
import { timelinessOf } from '../../domain/time/timeliness.ts'
import type { EarlyKind, Storage } from '../../storage/storage.ts'

/** How long the list of early sources is used before it is read again. */
const LIST_VALID_MILLISECONDS = 10_000

type SourceOf<Row> = (row: Row) => number | string

/**
 * Notes the sources whose clock is ahead, for operators.
 *
 * The times of such a sensor do not say when it was alive: until the clock of the service reaches
 * them, the arrival of its raw records counts as contact.
 */
export class EarlySources {
  readonly #storage: Pick<Storage, 'earlyRecords' | 'devices'>
  readonly #tolerance: number
  /** The latest time of the early records of each sensor, and when it was read. */
  #throughs: ReadonlyMap<string, number> = new Map()
  #readAt = -Infinity

  constructor(storage: Pick<Storage, 'earlyRecords' | 'devices'>, tolerance: number) {
    this.#storage = storage
    this.#tolerance = tolerance
  }

  /** Notes the early ones among records that were stored at the instant `now`. */
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
      this.#readAt = -Infinity
    }
    if (kind === 'raw') await this.#noteContacts(rows, sourceOf, now)
  }

  async #noteContacts<Row extends { time: number }>(
    rows: readonly Row[],
    sourceOf: SourceOf<Row>,
    now: number,
  ): Promise<void> {
    await this.#readThroughs(now)
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

  async #readThroughs(now: number): Promise<void> {
    if (Math.abs(now - this.#readAt) < LIST_VALID_MILLISECONDS) return
    const sources = await this.#storage.earlyRecords.listSources()
    const sensors = sources.filter(({ kind }) => kind === 'raw')
    this.#throughs = new Map(sensors.map(({ source, through }) => [source, through]))
    this.#readAt = now
  }
}
