import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import { streamArguments, type FfmpegOutput } from './arguments.ts'
import { LimitedProcess, type ProcessEnd } from './limited-process.ts'
import type { FfmpegLimits } from './restrictions.ts'

export type FfmpegProcessOptions = {
  command: string
  /** Arguments up to and with `-i` and its value. */
  input: readonly string[]
  /** What is piped into its standard input; undefined where it reads a port or a file. */
  stdin: Readable | undefined
  output: FfmpegOutput
  limits: FfmpegLimits
  log: Pick<Logger, 'debug' | 'warn'>
}

/** One ffmpeg that reads a source and writes MPEG-TS and FLV. Its owner has to read both. */
export class FfmpegProcess implements AsyncDisposable {
  readonly ts: Readable
  /** Empty where FLV cannot hold the video. */
  readonly flv: Readable
  readonly pid: number | undefined
  /** Settles when it has ended, perhaps before the last of its output is read. Never rejects. */
  readonly ended: Promise<ProcessEnd>
  readonly #process: LimitedProcess

  constructor({ input, output, ...options }: FfmpegProcessOptions) {
    this.#process = new LimitedProcess({ ...options, args: streamArguments(input, output) })
    this.pid = this.#process.pid
    this.ended = this.#process.ended
    const [ts, flv] = this.#process.outputs
    this.ts = ts
    this.flv = flv
  }

  /** Ends it: at its request, after two seconds by force. Resolves when it is gone. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]()
  }
}
