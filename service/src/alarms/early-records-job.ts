import type { Logger } from 'pino'
import { Leadership } from '../background/leadership.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { EarlySource, Storage } from '../storage/storage.ts'
import type { AlarmCommits } from './alarm-commits.ts'
import { evaluateDue } from './evaluate-early-records.ts'

const TERM_MILLISECONDS = 10_000

type EarlyRecordsOptions = {
  commits: AlarmCommits
  storage: Pick<Storage, 'records' | 'earlyRecords' | 'leases'>
  catalogue(): Promise<Catalogue>
  log: Pick<Logger, 'debug' | 'warn'>
  now(): number
}

/** Evaluates early records whose time has come, and logs the sources whose clock is ahead. */
export class EarlyRecords {
  readonly #options: EarlyRecordsOptions
  readonly #leadership: Leadership
  /** The logged sources, with the begin of their lead. */
  #logged: ReadonlyMap<string, number> = new Map()

  constructor(options: EarlyRecordsOptions) {
    const { storage, now } = options
    this.#options = options
    this.#leadership = new Leadership({
      name: 'early records',
      leases: storage.leases,
      now,
      termMilliseconds: TERM_MILLISECONDS,
    })
  }

  /** Logs new sources in one line, and evaluates due records unless another instance does. */
  async run(stop: AbortSignal): Promise<void> {
    const { commits, storage } = this.#options
    this.#logNew(await storage.earlyRecords.listSources())
    if ((await storage.earlyRecords.listDue(commits.horizon(), 1)).length === 0) return
    await this.#leadership.run(() => this.#evaluate(), stop)
  }

  async #evaluate(): Promise<void> {
    const { commits, storage, log } = this.#options
    const count = await evaluateDue({
      commits,
      storage,
      catalogue: await this.#options.catalogue(),
    })
    log.debug({ records: count }, 'early records were evaluated')
  }

  /** Logs each source once, until its clock is right again. */
  #logNew(sources: readonly EarlySource[]): void {
    const fresh = sources.filter((source) => this.#logged.get(nameOf(source)) !== source.since)
    this.#logged = new Map(sources.map((source) => [nameOf(source), source.since]))
    if (fresh.length === 0) return
    const furthest = fresh.reduce((one, other) => (other.lead > one.lead ? other : one))
    this.#options.log.warn(
      {
        sources: fresh.length,
        kind: furthest.kind,
        source: furthest.source,
        leadSeconds: Math.round(furthest.lead / 1000),
      },
      'records are ahead of the clock of the service; check the clock of their source',
    )
  }
}

const nameOf = ({ kind, source }: EarlySource): string => `${kind} ${source}`
