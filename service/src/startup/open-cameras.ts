import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Cameras, CamerasState } from '../camera/cameras.ts'
import { FfmpegProcess } from '../camera/ffmpeg/ffmpeg-process.ts'
import { FfmpegProgram } from '../camera/ffmpeg/find-ffmpeg.ts'
import { PlaybackGrants } from '../camera/grants/playback-grants.ts'
import { PlaybackAddresses } from '../camera/playback-addresses.ts'
import { CameraControls } from '../camera/ptz/camera-controls.ts'
import { Pictures } from '../camera/snapshots/pictures.ts'
import { startSnapshotJob } from '../camera/snapshots/snapshot-job.ts'
import { pictureTaker } from '../camera/snapshots/picture-taker.ts'
import { hostAllowance } from '../camera/source/allowed-hosts.ts'
import { sourceOpener } from '../camera/source/open-source.ts'
import { Streams } from '../camera/stream/streams.ts'
import type { Config } from '../config/settings.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Storage } from '../storage/storage.ts'
import { openExternalAddresses, openMediaMtx } from './open-media-server.ts'
import { ensureSecret } from './secrets.ts'

/** The folder of the data folder with the files of `file:` sources. */
const FILES_FOLDER = 'cameras'

/** A camera that sends nothing for so long is cut off. */
const STALL_SECONDS = 10

type CamerasOptions = {
  config: Config
  dataFolder: string
  storage: Storage
  catalogue: CurrentCatalogue
  log: Logger
  now(): number
}

export type OpenedCameras = Cameras & AsyncDisposable & { state(): Promise<CamerasState> }

/** Opens what plays cameras, and starts the job that takes the pictures of alarms. */
export async function openCameras(options: CamerasOptions): Promise<OpenedCameras> {
  const { config, dataFolder, storage, catalogue, log, now } = options
  await using stack = new AsyncDisposableStack()
  const secret = await ensureSecret(dataFolder, 'playback')
  const ffmpeg = new FfmpegProgram(config['cameras.ffmpeg'])
  const limits = { memoryMegabytes: config['cameras.maxMemoryMegabytes'] }
  const { command } = ffmpeg
  const open = sourceOpener({
    folder: join(dataFolder, FILES_FOLDER),
    hosts: config['cameras.hosts'],
    maxMegabits: config['cameras.maxMegabits'],
    stallSeconds: STALL_SECONDS,
  })
  const streams = stack.use(
    new Streams({
      open,
      start: ({ input, stdin }, output) =>
        new FfmpegProcess({ command, input, stdin, output, limits, log }),
      maxStreams: config['cameras.maxStreams'],
      idleSeconds: config['cameras.idleSeconds'],
      segmentSeconds: config['cameras.segmentSeconds'],
      log,
      now,
    }),
  )
  const pictures = new Pictures({ take: pictureTaker({ ffmpeg, open, streams, limits, log }), now })
  const takePicture = (camera: Parameters<typeof pictures.take>[0]) => pictures.take(camera)
  stack.use(startSnapshotJob({ storage, catalogue, takePicture, log, now }))
  await reportMissing(ffmpeg, catalogue, log)

  const grants = new PlaybackGrants({ secret, catalogue, accounts: storage.accounts, now })
  const external = await openExternalAddresses(config)
  stack.use(await openMediaMtx({ config, catalogue, grants, log }))
  const pin = hostAllowance(config['cameras.hosts'])
  const control = stack.use(new CameraControls({ pin, log, now }))

  const opened = stack.move()
  return {
    ffmpeg,
    grants,
    addresses: new PlaybackAddresses({ external, findProblem: () => ffmpeg.findProblem() }),
    control,
    streams,
    pictures,
    state: async () => ({
      ffmpeg: (await ffmpeg.findProblem()) ?? '',
      streams: streams.states(),
    }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Says at the start what to install, where the site has cameras. */
async function reportMissing(ffmpeg: FfmpegProgram, catalogue: CurrentCatalogue, log: Logger) {
  if ((await catalogue()).cameras.length === 0) return
  const problem = await ffmpeg.findProblem()
  if (problem !== undefined) log.warn(`No camera plays: ${problem}`)
}
