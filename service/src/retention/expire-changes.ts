import type { Logger } from 'pino'
import { inShare } from '../background/cpu-share.ts'
import { reclaimSpace } from '../background/reclaim-space.ts'
import type { Storage } from '../storage/storage.ts'

const DAY = 86_400_000
const RECORDS_AT_ONCE = 5_000
/** The part of one core's time that it takes: requests are hardly slower meanwhile. */
const SHARE = 0.5

type ChangeExpiryOptions = {
  storage: Pick<Storage, 'changes' | 'sealedDays'>
  log: Logger
  keepDays: number
  /** The instant from which the days count back. */
  trustedNow(): number
}

/**
 * Deletes changes older than `keepDays` with the records that they replaced: they cannot be undone any
 * more. Several instances may run it at once.
 */
export async function expireChanges(
  options: ChangeExpiryOptions,
  signal: AbortSignal,
): Promise<void> {
  const { storage, log, keepDays, trustedNow } = options
  const before = trustedNow() - keepDays * DAY
  const pace = { share: SHARE, signal }
  let changes = 0
  for (let isDone = false; !isDone;) {
    if (signal.aborted) return
    ;({ isDone, changes } = await inShare(pace, () =>
      storage.changes.expire(before, RECORDS_AT_ONCE),
    ))
  }
  if (changes === 0) return
  log.info({ changes }, 'changes can no longer be undone')
  await reclaimSpace(storage, pace)
}
