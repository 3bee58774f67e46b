import { RefusedError } from '../errors/refused-error.ts'
import type { SiteStore, StoredSite } from '../storage/storage.ts'

const ATTEMPTS = 5

type SiteChange<Result> = {
  result: Result
  /** The change to store; without it nothing is stored. */
  accepted?: Parameters<SiteStore['apply']>[0]
  /** Called when the change is stored. */
  onStored?(): Promise<void>
}

/**
 * Plans a change of the stored site and stores it; plans it again when another process has changed
 * the site meanwhile.
 */
export async function changeSite<Result>(
  site: Pick<SiteStore, 'load' | 'apply'>,
  plan: (stored: StoredSite) => SiteChange<Result> | Promise<SiteChange<Result>>,
): Promise<Result> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const stored = await site.load()
    const { result, accepted, onStored } = await plan(stored)
    if (accepted === undefined) return result
    if (!(await site.apply(accepted, stored.version))) continue
    await onStored?.()
    return result
  }
  throw new RefusedError('unavailable', 'Another process is changing the site. Try again.', {
    retryAfterSeconds: 1,
  })
}
