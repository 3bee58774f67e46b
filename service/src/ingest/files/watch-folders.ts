import { startJobs } from '../../background/job.ts'
import { openAsLeader } from '../../background/open-as-leader.ts'
import { SerialQueue } from '../../concurrency/serial-queue.ts'
import type { WatchedFolderSettings } from '../../config/folder-settings.ts'
import type { Storage } from '../../storage/storage.ts'
import { expirePositions } from './expire-positions.ts'
import type { FolderState } from './folder-state.ts'
import { FolderWatch, type FolderWatchOptions } from './folder-watch.ts'

const EXPIRY_MILLISECONDS = 3_600_000

export type WatchOptions = Omit<FolderWatchOptions, 'folder' | 'storage'> & {
  storage: Pick<Storage, 'positions' | 'leases'>
  /** Whether nothing is read for now, since ingest refuses everything. */
  isSuspended(): boolean
  folders: readonly Required<WatchedFolderSettings>[]
  /** How long the position of a file is kept that is gone. */
  keepPositionsMilliseconds: number
  /** How often positions that have expired are deleted. */
  expiryMilliseconds?: number | undefined
}

/** Folders that are watched. */
export type WatchedFolders = AsyncDisposable & { states(): FolderState[] }

/** Reads on the files of folders, each at its pace, one instance at a time. */
export async function watchFolders(options: WatchOptions): Promise<WatchedFolders> {
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

/** When it is disposed, reading stops after the batch under way. */
function startReading(options: WatchOptions, watches: readonly Watch[]): AsyncDisposable {
  const { log, isSuspended, expiryMilliseconds = EXPIRY_MILLISECONDS } = options
  // One folder after the other: the writer is one.
  const queue = new SerialQueue()
  const runInTurn = (stop: AbortSignal, work: () => Promise<void>): Promise<void> =>
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
        await runInTurn(stop, () => watch.look(stop))
      },
    })),
    {
      name: 'Expiry of file positions',
      log,
      everyMilliseconds: expiryMilliseconds,
      run: (stop) => runInTurn(stop, () => expire(options, watches)),
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
  { storage, ingest, log, keepPositionsMilliseconds }: WatchOptions,
  watches: readonly Watch[],
): Promise<void> {
  const present = watches.map(({ watch }) => watch.present())
  const files = await expirePositions(storage.positions, present, {
    now: ingest.clock.now(),
    keepMilliseconds: keepPositionsMilliseconds,
  })
  if (files > 0) log.info({ files }, 'positions of files that are gone were deleted')
}
