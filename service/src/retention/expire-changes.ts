import type { Logger } from 'pino'
import { startPeriodicJob } from '../background/periodic-job.ts'
import { reclaimSpace } from '../background/reclaim-space.ts'
import { restAfter } from '../background/rest.ts'
import type { Storage } from '../storage/storage.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const RECORDS_AT_ONCE = 5_000
/** Whoever answers meanwhile hardly notices. */
const SHARE = 0.5

type Options = {
  storage: Pick<Storage, 'changes' | 'seals'>
  log: Logger
  keepDays: number
  /** The instant that the term counts back from. */
  trustedNow(): number
  everyMilliseconds?: number | undefined
}

/**
 * Deletes every hour what changes replaced that began so many days ago, so that their records stay
 * as they are for good. Several instances may do it at once.
 */
export function startExpiringChanges(options: Options): AsyncDisposable {
  const { log, everyMilliseconds = HOUR } = options
  return startPeriodicJob({
    run: (signal) => expireChanges(options, signal),
    onError: (error) => log.warn(`old changes stay for now: ${error.message}`),
    everyMilliseconds,
  })
}

async function expireChanges(options: Options, signal: AbortSignal): Promise<void> {
  const { storage, log, keepDays, trustedNow } = options
  const before = trustedNow() - keepDays * DAY
  let changes = 0
  for (let isDone = false; !isDone;) {
    if (signal.aborted) return
    const began = performance.now()
    ;({ isDone, changes } = await storage.changes.forget(before, RECORDS_AT_ONCE))
    await restAfter(began, SHARE, signal)
  }
  if (changes === 0) return
  log.info({ changes }, 'changes can no longer be undone')
  await reclaimSpace({ storage, share: SHARE, signal })
}
