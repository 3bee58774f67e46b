import type { EarlyKind } from '../../storage/storage.ts'
import type { Catalogue } from '../../domain/site/catalogue.ts'
import { findSource, type DeclaredSource } from './clock-state.ts'

/** A source that has sent records from before the earliest time, for operators. */
export type BehindSource = DeclaredSource & {
  kind: EarlyKind
  source: string
  /** The latest time of these records. */
  time: number
  /** When the first of them arrived without a pause of a day since, and the last one. */
  since: number
  lastAt: number
}

type Behind = Omit<BehindSource, keyof DeclaredSource>

type BehindLog = { warn(fields: object, message: string): void }

const DAY = 86_400_000
const GATHER_MILLISECONDS = 2000

/**
 * The earliest time of a live record, and the sources that have sent earlier ones.
 *
 * The log names each source once until it pauses for a day; sources of the same two seconds share a
 * line.
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

  /** Notes a record that was rejected because of its time. */
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

  /** The sources of the last day that the site declares. */
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
    const [first] = fresh
    if (first === undefined) return
    const { kind, source, time } = first
    this.#log?.warn(
      { sources: fresh.length, kind, source, time: new Date(time).toISOString() },
      'records from before ingest.earliestTime were rejected; check the clock of their source',
    )
  }
}
