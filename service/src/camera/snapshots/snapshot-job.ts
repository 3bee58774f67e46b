import type { Logger } from 'pino'
import { startJob, type Job } from '../../background/job.ts'
import { Leadership } from '../../background/leadership.ts'
import type { CameraEntry } from '../../domain/site/site-entry.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import type { CurrentCatalogue } from '../../storage/current-catalogue.ts'
import type { Storage, WaitingSnapshot } from '../../storage/storage.ts'
import type { TakenPicture } from './pictures.ts'

const TERM_MILLISECONDS = 20_000
const POLL_MILLISECONDS = 1_000
const AT_ONCE = 1_000

/** A camera that gives no picture is tried again for this time after the alarm. */
const TRY_MILLISECONDS = 60_000

/** Later than this after an alarm, while the service was off, no picture is taken any more. */
const LATEST_MILLISECONDS = 600_000

export type SnapshotJobOptions = {
  storage: Pick<Storage, 'snapshots' | 'leases'>
  catalogue: CurrentCatalogue
  /** Takes a picture; throws a `RefusedError` with the reason where the camera gives none. */
  takePicture(camera: CameraEntry): Promise<TakenPicture>
  log: Logger
  now(): number
  pollMilliseconds?: number | undefined
}

/** Takes the pictures of new alarms, in one instance at a time. */
export function startSnapshotJob(options: SnapshotJobOptions): Job {
  const { storage, log, now, pollMilliseconds = POLL_MILLISECONDS } = options
  const leadership = new Leadership({
    name: 'snapshots',
    leases: storage.leases,
    now,
    termMilliseconds: TERM_MILLISECONDS,
  })
  return startJob({
    name: 'Snapshots of alarms',
    log,
    everyMilliseconds: pollMilliseconds,
    async run(stop) {
      const [first] = await storage.snapshots.listWaiting(1)
      if (first !== undefined) await leadership.run((signal) => takeWaiting(options, signal), stop)
    },
  })
}

async function takeWaiting(options: SnapshotJobOptions, signal: AbortSignal): Promise<void> {
  const waiting = await options.storage.snapshots.listWaiting(AT_ONCE)
  const byCamera = Map.groupBy(waiting, ({ camera }) => camera)
  for (const [camera, snapshots] of byCamera)
    if (!signal.aborted) await takeOfCamera(options, camera, snapshots)
}

/** Takes one picture for all snapshots that wait for a camera. */
async function takeOfCamera(
  { storage: { snapshots: store }, catalogue, takePicture, log, now }: SnapshotJobOptions,
  id: number,
  snapshots: readonly WaitingSnapshot[],
): Promise<void> {
  const late = (milliseconds: number) =>
    snapshots.filter(({ dueAt }) => now() - dueAt > milliseconds)
  const giveUp = (ended: readonly WaitingSnapshot[], problem: string) =>
    store.giveUp(ended, { at: now(), problem })

  const camera = (await catalogue()).cameras.find((one) => one.id === id)
  if (camera === undefined) return giveUp(snapshots, `Camera ${id} is no longer in the site.`)
  const forgotten = late(LATEST_MILLISECONDS)
  if (forgotten.length > 0)
    await giveUp(forgotten, 'The service could not take it within ten minutes after the alarm.')
  const current = snapshots.filter((one) => !forgotten.includes(one))
  if (current.length === 0) return
  try {
    await store.take(current, { camera: id, ...(await takePicture(camera)) })
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    const ended = late(TRY_MILLISECONDS).filter((one) => current.includes(one))
    if (ended.length === 0) return
    log.warn(
      { camera: id },
      `no picture of camera ${id} for ${ended.length} alarms: ${error.message}`,
    )
    await giveUp(ended, error.message)
  }
}
