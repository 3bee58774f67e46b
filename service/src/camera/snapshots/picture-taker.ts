import type { Logger } from 'pino'
import type { CameraEntry } from '../../domain/site/site-entry.ts'
import { RefusedError } from '../../errors/refused-error.ts'
import { SerialQueue } from '../../concurrency/serial-queue.ts'
import type { FfmpegProgram } from '../ffmpeg/find-ffmpeg.ts'
import { KEYFRAME_INPUT, PictureError, takePicture } from '../ffmpeg/picture.ts'
import { SourceError, type OpenSource } from '../source/opened-source.ts'
import { renditionOf } from '../stream/rendition.ts'
import type { Streams } from '../stream/streams.ts'

/** A camera that gives no picture in this time is given up. */
const TIMEOUT_MILLISECONDS = 10_000

export type PictureTakerOptions = {
  ffmpeg: FfmpegProgram
  open: OpenSource
  streams: Pick<Streams, 'find'>
  limits: { memoryMegabytes: number }
  log: Logger
}

/**
 * Returns a function that takes a picture in quality `h`: from the stream of the camera while it plays,
 * otherwise from its source. Pictures of many cameras are taken one after the other.
 */
export function pictureTaker(options: PictureTakerOptions) {
  const turns = new SerialQueue()
  return (camera: CameraEntry): Promise<Uint8Array> => turns.run(() => take(options, camera))
}

async function take(
  { ffmpeg, open, streams, limits, log }: PictureTakerOptions,
  camera: CameraEntry,
): Promise<Uint8Array> {
  const problem = await ffmpeg.findProblem()
  if (problem !== undefined) throw new RefusedError('unavailable', problem)
  const { command } = ffmpeg
  const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS)
  const rendition = renditionOf(camera, 'h')
  const keyframe = streams.find(camera, rendition)?.keyframe()
  try {
    if (keyframe !== undefined)
      return await takePicture({
        command,
        input: KEYFRAME_INPUT,
        stdin: keyframe,
        limits,
        signal,
        log,
      })
    await using source = await open(rendition.source, signal)
    const { input, stdin } = source
    return await takePicture({ command, input, stdin, limits, signal, log }).catch(
      (error: unknown) => {
        throw new RefusedError('unavailable', source.failure() ?? messageOf(error))
      },
    )
  } catch (error) {
    if (error instanceof RefusedError) throw error
    throw new RefusedError('unavailable', messageOf(error))
  }
}

/** The sentence of a problem that a client may read; other errors are faults of the service. */
function messageOf(error: unknown): string {
  if (error instanceof PictureError || error instanceof SourceError) return error.message
  if (error instanceof Error && error.name === 'TimeoutError')
    return 'The camera gave no picture within ten seconds.'
  throw error
}
