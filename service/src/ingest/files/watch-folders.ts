import { randomUUID } from 'node:crypto'
import type { WatchedFolderSettings } from '../../config/folder-settings.ts'
import type { Storage } from '../../storage/storage.ts'
import { forgetPositions } from './forget-positions.ts'
import type { FolderState } from './folder-state.ts'
import { FolderWatch, type FolderWatchOptions } from './folder-watch.ts'

const LEASE = 'watched folders'
const LEASE_MILLISECONDS = 10_000
const FORGET_MILLISECONDS = 3_600_000

export type WatchOptions = Omit<FolderWatchOptions, 'folder' | 'storage'> & {
  storage: Pick<Storage, 'positions' | 'leases'>
  /** Whether nothing is read for now, since ingest refuses everything. */
  isHeld?(): boolean
  folders: readonly Required<WatchedFolderSettings>[]
  /** How long the position of a file is kept that is gone. */
  keepPositionsMilliseconds: number
  /** How often it is looked for those. */
  forgetMilliseconds?: number | undefined
}

/** Folders that are watched. */
export type FolderWatching = AsyncDisposable & { states(): FolderState[] }

/**
 * Reads on the files of folders, each at its pace, one instance at a time.
 *
 * Whoever holds the lease reads; when it dies, another takes over within ten seconds.
 */
export function watchFolders({
  folders,
  isHeld = () => false,
  keepPositionsMilliseconds,
  forgetMilliseconds = FORGET_MILLISECONDS,
  ...options
}: WatchOptions): FolderWatching {
  const { storage, ingest, log } = options
  const holder = randomUUID()
  const stop = new AbortController()
  const takeLease = (): Promise<boolean> => {
    const now = ingest.clock.now()
    return storage.leases.take({ name: LEASE, holder, now, until: now + LEASE_MILLISECONDS })
  }

  // While a long file is read the lease is kept; who loses it stops after the batch under way.
  let lost = new AbortController()
  const keeping = setInterval(() => {
    takeLease().then(
      (isMine) => isMine || lost.abort(),
      () => lost.abort(),
    )
  }, LEASE_MILLISECONDS / 4).unref()

  const lookOnce = async (watch: FolderWatch): Promise<void> => {
    if (stop.signal.aborted || isHeld() || !(await takeLease())) return watch.progress.wait()
    if (lost.signal.aborted) lost = new AbortController()
    await watch.look(AbortSignal.any([stop.signal, lost.signal]))
  }
  // One folder after the other: the lease is one, and so is the writer.
  let running: Promise<void> = Promise.resolve()
  const watches = folders.map(({ pollSeconds, ...folder }) => ({
    pollSeconds,
    folder,
    watch: new FolderWatch({ ...options, folder }),
  }))
  const timers = watches.map(({ pollSeconds, folder, watch }) => {
    let isWaiting = false
    const look = (): void => {
      if (isWaiting) return
      isWaiting = true
      running = running
        .then(() => lookOnce(watch))
        .catch((error: Error) => log.warn(`${folder.path} is not read for now: ${error.message}`))
        .finally(() => (isWaiting = false))
    }
    look()
    return setInterval(look, pollSeconds * 1000).unref()
  })
  const forget = async (): Promise<void> => {
    if (stop.signal.aborted || isHeld() || !(await takeLease())) return
    const present = watches.map(({ watch }) => watch.present())
    const term = { now: ingest.clock.now(), keepMilliseconds: keepPositionsMilliseconds }
    const forgotten = await forgetPositions(storage.positions, present, term)
    if (forgotten > 0)
      log.info({ files: forgotten }, 'positions of files that are gone were forgotten')
  }
  const forgetting = setInterval(() => {
    running = running
      .then(forget)
      .catch((error: Error) => log.warn(`positions of files stay for now: ${error.message}`))
  }, forgetMilliseconds).unref()
  return {
    states: () => watches.map(({ watch }) => watch.progress.state()),
    async [Symbol.asyncDispose]() {
      for (const timer of [...timers, keeping, forgetting]) clearInterval(timer)
      stop.abort()
      await running
      await storage.leases.leave(LEASE, holder)
    },
  }
}
