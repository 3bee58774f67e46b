import type { FfmpegProgram } from './ffmpeg/find-ffmpeg.ts'
import type { PlaybackGrants } from './grants/playback-grants.ts'
import type { PlaybackAddresses } from './playback-addresses.ts'
import type { Pictures } from './snapshots/pictures.ts'
import type { StreamState } from './stream/stream.ts'
import type { Streams } from './stream/streams.ts'
import type { CameraControls } from './ptz/camera-controls.ts'

/** What the interface needs to play and move cameras. */
export type Cameras = {
  ffmpeg: Pick<FfmpegProgram, 'findProblem'>
  grants: PlaybackGrants
  addresses: PlaybackAddresses
  streams: Streams
  pictures: Pictures
  control: CameraControls
}

/** Cameras for operators: what is wrong with ffmpeg, and the streams that play. */
export type CamerasState = { ffmpeg: string; streams: readonly StreamState[] }
