import type { Logger } from 'pino'
import type { JobSchedule } from '../background/job.ts'
import { Leadership } from '../background/leadership.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import type { AlarmCommits } from './alarm-commits.ts'
import { detectOffline } from './offline-alarms.ts'

const TERM_MILLISECONDS = 60_000

type OfflineDetectionOptions = Pick<JobSchedule, 'everyMilliseconds'> & {
  commits: AlarmCommits
  storage: Pick<Storage, 'alarms' | 'devices' | 'records' | 'earlyRecords' | 'leases'>
  catalogue(): Promise<Catalogue>
  log: Pick<Logger, 'info'>
  /** Whether devices cannot report because the service refuses all records. */
  isSuspended(): boolean
  now(): number
}

/** Detects devices that are silent, in one instance at a time. */
export class OfflineDetection implements AsyncDisposable {
  readonly #options: OfflineDetectionOptions
  readonly #leadership: Leadership
  #listeningSince: number
  #wasSuspended = false

  constructor(options: OfflineDetectionOptions) {
    const { storage, everyMilliseconds, now } = options
    this.#options = options
    this.#listeningSince = now()
    this.#leadership = new Leadership({
      name: 'offline detection',
      leases: storage.leases,
      now,
      termMilliseconds: TERM_MILLISECONDS + 2 * everyMilliseconds,
      isKept: true,
    })
  }

  /** Detects once, unless another instance does. */
  async run(): Promise<void> {
    const { isSuspended, now } = this.#options
    if (isSuspended()) {
      this.#wasSuspended = true
      return
    }
    if (this.#wasSuspended) this.#listeningSince = now()
    this.#wasSuspended = false
    await this.#leadership.run(() => this.#detect())
  }

  /** Lets another instance take over at once. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#leadership[Symbol.asyncDispose]()
  }

  async #detect(): Promise<void> {
    const { commits, storage, log, now } = this.#options
    // The clock may have been ahead when the service started.
    this.#listeningSince = Math.min(this.#listeningSince, now())
    const catalogue = await this.#options.catalogue()
    const { changes } = await detectOffline({
      commits,
      storage,
      catalogue,
      now: now(),
      listeningSince: this.#listeningSince,
    })
    if (changes > 0) log.info({ changes }, 'alarms of devices changed')
  }
}
