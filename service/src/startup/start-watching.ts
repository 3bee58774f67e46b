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
  /** Whether the expiry of positions pauses, because the clock is wrong. */
  isSuspended(): boolean
}

/** Starts reading watched folders; loads the code for it only when the settings have folders. */
export async function startWatching({
  config,
  dataFolder,
  ...options
}: StartWatchingOptions): Promise<WatchedFolders> {
  const folders = config['ingest.folders']
  if (folders.length === 0) return { states: () => [], async [Symbol.asyncDispose]() {} }
  const { watchFolders } = await import('../ingest/files/watch-folders.ts')
  return watchFolders({
    ...options,
    folders: folders.map(({ pattern = '*', pollSeconds = 10, ...folder }) => ({
      pattern,
      pollSeconds,
      path: resolve(dataFolder, folder.path),
      mapping: resolve(dataFolder, folder.mapping),
    })),
    keepPositionsMilliseconds: config['ingest.keepPositionsDays'] * DAY_MILLISECONDS,
    fileIdleMilliseconds: config['ingest.fileIdleSeconds'] * 1000,
    mostReservedBytes: config['ingest.maxReservedMegabytes'] * 2 ** 20,
    mostFileBytes: config['http.maxBodyMegabytes'] * 2 ** 20,
  })
}
