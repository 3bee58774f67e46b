<<<<<<< HEAD
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { OpenedSource } from '../../src/camera/source/opened-source.ts'
import { needCommand } from '../_debian.ts'

/** What ffmpeg made of a source. */
export type Seen = {
  /** Pictures that it wrote. */
  pictures: number
  /** The codec, the size and the rest of its line about the video that it read. */
  video: string
  /** Whether it read sound. */
  hasSound: boolean
  /** Everything it said. */
  said: string
  /** Its arguments, as every process of the machine sees them. */
  commandLine: string
}

type WatchOptions = {
  /** It ends after so many pictures. */
  pictures?: number
  /** What it does with them; left out: it counts them. */
  output?: readonly string[]
}

/** Reads a source with the ffmpeg of the machine, until it has the pictures or the source ends. */
export async function readWithFfmpeg(
  opened: OpenedSource,
  { pictures = 20, output = ['-c', 'copy', '-f', 'null', '-'] }: WatchOptions = {},
): Promise<Seen> {
  await needCommand('ffmpeg', 'ffmpeg')
  const args = ['-hide_banner', '-nostdin', '-loglevel', 'info', ...opened.input]
  const ffmpeg = spawn('ffmpeg', [...args, '-frames:v', String(pictures), '-y', ...output], {
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const endWithUs = () => ffmpeg.kill('SIGKILL')
  process.once('exit', endWithUs)
  const exit = once(ffmpeg, 'exit').finally(() => process.off('exit', endWithUs))
  let said = ''
  ffmpeg.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  // It ends before its input does.
  if (opened.stdin === undefined) ffmpeg.stdin.end()
  else pipeline(opened.stdin, ffmpeg.stdin).catch(() => {})
  const commandLine = await readFile(`/proc/${ffmpeg.pid}/cmdline`, 'utf8')
  await exit
  const [input = ''] = said.split('Stream mapping')
  return {
    pictures: Number(
      said
        .match(/frame= *(\d+)/g)
        ?.at(-1)
        ?.replace(/\D+/, '') ?? 0,
    ),
    video: /: Video: (.*)/.exec(input)?.[1] ?? '',
    hasSound: / Audio: /.test(input),
    said,
    commandLine: commandLine.replaceAll('\0', ' '),
  }
=======
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
>>>>>>> ffmpeg
}
