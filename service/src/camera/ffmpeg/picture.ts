import { addAbortSignal, Readable } from 'node:stream'
import type { Logger } from 'pino'
import { pictureArguments } from './arguments.ts'
import { LimitedProcess } from './limited-process.ts'
import type { FfmpegLimits } from './restrictions.ts'

export { KEYFRAME_INPUT } from './arguments.ts'

const TIMEOUT_MILLISECONDS = 10_000
const MAX_MEGABYTES = 8

/** Why there is no picture: a sentence for clients, and what ffmpeg said, for the log. */
export class PictureError extends Error {
  override name = 'PictureError'
  readonly detail: string

  constructor(message: string, detail: string) {
    super(message)
    this.detail = detail
  }
}

type PictureOptions = {
  command: string
  /** Arguments up to and with `-i` and its value. */
  input: readonly string[]
  /** What is piped into its standard input; undefined where it reads a port or a file. */
  stdin: Readable | Buffer | undefined
  limits: FfmpegLimits
  signal: AbortSignal
  timeoutMilliseconds?: number
  log: Pick<Logger, 'debug' | 'warn'>
}

/** A JPEG of the first picture that an input gives; throws a `PictureError` within ten seconds. */
export async function takePicture(options: PictureOptions): Promise<Buffer> {
  const { input, stdin, signal, timeoutMilliseconds = TIMEOUT_MILLISECONDS } = options
  signal.throwIfAborted()
  const timeout = AbortSignal.timeout(timeoutMilliseconds)
  await using ffmpeg = new LimitedProcess({
    ...options,
    args: pictureArguments(input),
    stdin: Buffer.isBuffer(stdin) ? Readable.from([stdin]) : stdin,
  })
  const [picture, unused] = ffmpeg.outputs
  unused.resume()
  try {
    const jpeg = await readBounded(addAbortSignal(AbortSignal.any([signal, timeout]), picture))
    if (isWholeJpeg(jpeg)) return jpeg
  } catch (error) {
    signal.throwIfAborted()
    if (!timeout.aborted) throw error
    const seconds = timeoutMilliseconds / 1000
    throw new PictureError(`The camera gave no picture within ${seconds} seconds.`, '')
  }
  const { problem, detail } = await ffmpeg.ended
  throw new PictureError(problem, detail)
}

async function readBounded(output: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of output) {
    if (!Buffer.isBuffer(chunk)) continue
    length += chunk.length
    if (length > MAX_MEGABYTES * 1024 ** 2)
      throw new PictureError(`The picture of the camera is larger than ${MAX_MEGABYTES} MB.`, '')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Whether bytes begin and end as a JPEG does: SOI, EOI. */
const isWholeJpeg = (bytes: Buffer): boolean =>
  bytes.length > 4 &&
  bytes.readUInt16BE(0) === 0xffd8 &&
  bytes.readUInt16BE(bytes.length - 2) === 0xffd9
