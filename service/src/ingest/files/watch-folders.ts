import { startJobs } from '../../background/job.ts'
import { openAsLeader } from '../../background/open-as-leader.ts'
import { SerialQueue } from '../../concurrency/serial-queue.ts'
import type { WatchedFolderSettings } from '../../config/folder-settings.ts'
import type { Storage } from '../../storage/storage.ts'
import { expirePositions } from './expire-positions.ts'
import type { FolderState } from './folder-state.ts'
import { FolderWatch, type FolderWatchOptions } from './folder-watch.ts'

const EXPIRY_MILLISECONDS = 3_600_000

type WatchFoldersOptions = Omit<FolderWatchOptions, 'folder' | 'storage'> & {
  storage: Pick<Storage, 'positions' | 'leases'>
  /** Whether reading pauses because ingest refuses all records. */
  isSuspended(): boolean
  folders: readonly Required<WatchedFolderSettings>[]
  /** How long the position of an absent file is kept. */
  keepPositionsMilliseconds: number
  /** How often positions that have expired are deleted. */
  expiryMilliseconds?: number | undefined
}

/** The watched folders of this instance. */
export type WatchedFolders = AsyncDisposable & { states(): FolderState[] }

/** Reads the files of folders as they grow, each folder at its interval, in one instance at a time. */
export async function watchFolders(options: WatchFoldersOptions): Promise<WatchedFolders> {
  const { folders, storage, ingest, log } = options
  const watches = folders.map(({ pollSeconds, ...folder }) => ({
    pollSeconds,
    path: folder.path,
    watch: new FolderWatch({ ...options, folder }),
  }))
  const led = await openAsLeader({
    name: 'watched folders',
    leases: storage.leases,
    now: () => ingest.clock.now(),
    log,
    open: () => startReading(options, watches),
  })
  return {
    states: () => watches.map(({ watch }) => watch.progress.state()),
    [Symbol.asyncDispose]: () => led[Symbol.asyncDispose](),
  }
}

type Watch = { pollSeconds: number; path: string; watch: FolderWatch }

/** Reads until it is disposed; the batch under way ends first. */
function startReading(options: WatchFoldersOptions, watches: readonly Watch[]): AsyncDisposable {
  const { log, isSuspended, expiryMilliseconds = EXPIRY_MILLISECONDS } = options
  // One folder after the other, since there is one writer.
  const queue = new SerialQueue()
  const runQueued = (stop: AbortSignal, work: () => Promise<void>): Promise<void> =>
    queue.run(async () => {
      if (!stop.aborted && !isSuspended()) await work()
    })
  const jobs = startJobs([
    ...watches.map(({ watch, path, pollSeconds }) => ({
      name: `Reading of ${path}`,
      log,
      everyMilliseconds: pollSeconds * 1000,
      firstMilliseconds: 0,
      async run(stop: AbortSignal): Promise<void> {
        if (isSuspended()) watch.progress.wait()
        await runQueued(stop, () => watch.check(stop))
      },
    })),
    {
      name: 'Expiry of file positions',
      log,
      everyMilliseconds: expiryMilliseconds,
      run: (stop) => runQueued(stop, () => expire(options, watches)),
    },
  ])
  return {
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]()
      for (const { watch } of watches) watch.progress.wait()
    },
  }
}

async function expire(
  { storage, ingest, log, keepPositionsMilliseconds }: WatchFoldersOptions,
  watches: readonly Watch[],
): Promise<void> {
  const present = watches.map(({ watch }) => watch.present())
  const files = await expirePositions(storage.positions, present, {
    now: ingest.clock.now(),
    keepMilliseconds: keepPositionsMilliseconds,
  })
  if (files > 0) log.info({ files }, 'positions of files that are gone were deleted')
}
