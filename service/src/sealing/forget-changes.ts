import type { Logger } from 'pino'
import type { Storage } from '../storage/storage.ts'
import { giveSpaceBack } from './give-space-back.ts'
import { restAfter } from './rest.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const RECORDS_AT_ONCE = 5_000
/** Whoever answers meanwhile hardly notices. */
const SHARE = 0.5

type Options = {
  storage: Pick<Storage, 'changes' | 'seals'>
  log: Logger
  keepDays: number
  now(): number
  everyMilliseconds?: number | undefined
}

/**
 * Forgets every hour what changes replaced that began so many days ago, so that their records stay
 * as they are for good. Several instances may do it at once.
 */
export function startForgettingChanges(options: Options): AsyncDisposable {
  const { log, everyMilliseconds = HOUR } = options
  const stop = new AbortController()
  let running: Promise<void> = Promise.resolve()
  const run = (): void => {
    running = running
      .then(() => forgetChanges(options, stop.signal))
      .catch((error: Error) => log.warn(`old changes stay for now: ${error.message}`))
  }
  const timer = setInterval(run, everyMilliseconds).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      stop.abort()
      await running
    },
  }
}

async function forgetChanges(options: Options, signal: AbortSignal): Promise<void> {
  const { storage, log, keepDays, now } = options
  const before = now() - keepDays * DAY
  let changes = 0
  for (let isDone = false; !isDone;) {
    if (signal.aborted) return
    const began = performance.now()
    ;({ isDone, changes } = await storage.changes.forget(before, RECORDS_AT_ONCE))
    await restAfter(began, SHARE, signal)
  }
  if (changes === 0) return
  log.info({ changes }, 'changes can no longer be undone')
  await giveSpaceBack({ storage, share: SHARE, signal })
}
