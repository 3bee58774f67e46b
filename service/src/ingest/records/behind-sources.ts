import type { EarlyKind } from '../../storage/storage.ts'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { findSource, type KnownSource } from './clock-state.ts'

/** A source whose records lie before the earliest time, as operators see it. */
export type BehindSource = KnownSource & {
  kind: EarlyKind
  source: string
  /** The latest time that one of these records had. */
  time: number
  /** When the first of them came in, with no pause of a day since, and the last one. */
  since: number
  lastAt: number
}

type Behind = Omit<BehindSource, keyof KnownSource>

type BehindLog = { warn(fields: object, message: string): void }

const DAY = 86_400_000
const GATHER_MILLISECONDS = 2000

/**
 * The earliest time that a live record may have, and which sources have sent earlier ones.
 *
 * The log names each source once while it goes on; sources of the same two seconds share a line.
 */
export class BehindSources implements Disposable {
  readonly earliest: number
  readonly #log: BehindLog | undefined
  readonly #sources = new Map<string, Behind>()
  #fresh: Behind[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(earliest: number, log?: BehindLog) {
    this.earliest = earliest
    this.#log = log
  }

  /** Notes a record that was rejected for its time. */
  note(kind: EarlyKind, id: number | string, time: number, now: number): void {
    const source = String(id)
    const known = this.#sources.get(`${kind} ${source}`)
    if (known !== undefined && Math.abs(now - known.lastAt) <= DAY) {
      known.lastAt = now
      known.time = Math.max(known.time, time)
      return
    }
    const behind = { kind, source, time, since: now, lastAt: now }
    this.#sources.set(`${kind} ${source}`, behind)
    if (this.#log === undefined) return
    this.#fresh.push(behind)
    this.#timer ??= setTimeout(() => this.#writeFresh(), GATHER_MILLISECONDS).unref()
  }

  /** Those of the last day, as far as the site declares them. */
  list(catalogue: Catalogue, now: number): BehindSource[] {
    return [...this.#sources.values()]
      .filter(({ lastAt }) => Math.abs(now - lastAt) <= DAY)
      .toSorted((a, b) => (`${a.kind} ${a.source}` < `${b.kind} ${b.source}` ? -1 : 1))
      .flatMap((behind) => {
        const known = findSource(catalogue, behind.kind, behind.source)
        return known === undefined ? [] : [{ ...behind, ...known }]
      })
  }

  [Symbol.dispose](): void {
    if (this.#timer !== undefined) this.#writeFresh()
  }

  #writeFresh(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const fresh = this.#fresh.splice(0)
    const [{ kind, source, time } = { kind: '', source: '', time: 0 }] = fresh
    this.#log?.warn(
      { sources: fresh.length, kind, source, time: new Date(time).toISOString() },
      'records lie before ingest.earliestTime and are rejected; check the clock of their source',
    )
  }
}
