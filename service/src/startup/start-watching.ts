import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/settings.ts'
import type { WatchedFolders } from '../ingest/files/watch-folders.ts'
import type { RecordIngest } from '../ingest/record-ingest.ts'
import type { RejectWriter } from '../ingest/rejects/reject-writer.ts'
import type { Storage } from '../storage/storage.ts'

const DAY_MILLISECONDS = 86_400_000

type StartWatchingOptions = {
  config: Config
  dataFolder: string
  ingest: RecordIngest
  storage: Storage
  rejects: Pick<RejectWriter, 'add'>
  log: Logger
  expiryMilliseconds: number | undefined
  isSuspended(): boolean
}

/** Starts reading watched folders; their code is loaded only if there are any. */
export async function startWatching({
  config,
  dataFolder,
  ingest,
  storage,
  rejects,
  log,
  expiryMilliseconds,
  isSuspended,
}: StartWatchingOptions): Promise<WatchedFolders> {
  const folders = config['ingest.folders']
  if (folders.length === 0) return { states: () => [], async [Symbol.asyncDispose]() {} }
  const { watchFolders } = await import('../ingest/files/watch-folders.ts')
  return watchFolders({
    folders: folders.map(({ pattern = '*', pollSeconds = 10, ...folder }) => ({
      pattern,
      pollSeconds,
      path: resolve(dataFolder, folder.path),
      mapping: resolve(dataFolder, folder.mapping),
    })),
    ingest,
    storage,
    rejects,
    log,
    expiryMilliseconds,
    keepPositionsMilliseconds: config['ingest.keepPositionsDays'] * DAY_MILLISECONDS,
    isSuspended,
    fileIdleMilliseconds: config['ingest.fileIdleSeconds'] * 1000,
    mostReservedBytes: config['ingest.maxReservedMegabytes'] * 2 ** 20,
  })
}
