import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { startPeriodicJob } from '../background/periodic-job.ts'
import type { Catalogue } from '../domain/site/catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import type { AlarmCommits } from './alarm-commits.ts'
import { detectOffline } from './offline-alarms.ts'

const LEASE = 'alarms'
const LEASE_MILLISECONDS = 60_000

export type OfflineDetectionJobOptions = {
  commits: AlarmCommits
  storage: Pick<Storage, 'alarms' | 'devices' | 'data' | 'early' | 'leases'>
  catalogue(): Promise<Catalogue>
  log: Logger
  everySeconds: number
  /** Whether nobody is looked at for now, since no sign of life is taken in. */
  isHeld?(): boolean
  now(): number
}

export type OfflineDetectionJob = AsyncDisposable & {
  /** Looks once, after what is under way; nothing while another instance holds the lease. */
  run(): Promise<void>
}

/**
 * Looks at devices again and again, one instance at a time.
 *
 * Whoever holds the lease keeps it; when it dies, another takes over within a minute.
 */
export function startOfflineDetection(options: OfflineDetectionJobOptions): OfflineDetectionJob {
  const { commits, storage, catalogue, log, everySeconds, now, isHeld = () => false } = options
  const holder = randomUUID()
  let listeningSince = now()
  let wasHeld = false
  const look = async (): Promise<void> => {
    if (isHeld()) {
      wasHeld = true
      return
    }
    if (wasHeld) listeningSince = now()
    wasHeld = false
    const until = now() + LEASE_MILLISECONDS + everySeconds * 2000
    if (!(await storage.leases.take({ name: LEASE, holder, now: now(), until }))) return
    // The clock was ahead when we began.
    listeningSince = Math.min(listeningSince, now())
    const site = await catalogue()
    const { changes } = await detectOffline({
      commits,
      storage,
      catalogue: site,
      now: now(),
      listeningSince,
    })
    if (changes > 0) log.info({ changes }, 'alarms of devices changed')
  }
  let running: Promise<void> = Promise.resolve()
  const onError = (error: Error): void => log.warn(`devices were not looked at: ${error.message}`)
  const run = (): Promise<void> => (running = running.then(look).catch(onError))
  const everyMilliseconds = everySeconds * 1000
  const job = everySeconds === 0 ? undefined : startPeriodicJob({ run, onError, everyMilliseconds })
  return {
    run,
    async [Symbol.asyncDispose]() {
      await job?.[Symbol.asyncDispose]()
      await running
      await storage.leases.leave(LEASE, holder).catch(() => undefined)
    },
  }
}
