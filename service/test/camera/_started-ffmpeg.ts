import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FfmpegOutput } from '../../src/camera/ffmpeg/arguments.ts'
import { FfmpegProcess } from '../../src/camera/ffmpeg/ffmpeg-process.ts'

export const LIMITS = { memoryMegabytes: 512 }

export const silent = { debug: () => undefined, warn: () => undefined }

export const fromFile = (path: string): string[] => ['-protocol_whitelist', 'file', '-i', path]

/** Input arguments for bytes on standard input. */
export const fromPipe = (format: string): string[] =>
  `-protocol_whitelist pipe -f ${format} -i pipe:0`.split(' ')

type StartOptions = {
  input: readonly string[]
  stdin?: Readable
  output?: FfmpegOutput
  limits?: { memoryMegabytes: number; cores?: number }
}

/** Starts an ffmpeg of the system. */
export const startFfmpeg = ({
  input,
  stdin,
  output = { kind: 'copy' },
  limits = LIMITS,
}: StartOptions): FfmpegProcess =>
  new FfmpegProcess({ command: 'ffmpeg', input, stdin, output, limits, log: silent })

/** Everything that an ffmpeg writes until it ends, and why it ended. */
export async function readAll(ffmpeg: FfmpegProcess) {
  const [ts, flv, end] = await Promise.all([buffer(ffmpeg.ts), buffer(ffmpeg.flv), ffmpeg.ended])
  return { ts, flv, ...end }
}

/** Whether a process is there: one that has ended and was not waited for is not. */
export async function isRunning(pid: number | undefined): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat !== undefined && !/\) [ZX]/.test(stat)
}
