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
  /** The time of the last one in the stream. */
  seconds: number
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
    seconds: Number(
      said
        .match(/time=00:00:[\d.]+/g)
        ?.at(-1)
        ?.slice('time=00:00:'.length) ?? 0,
    ),
    video: /: Video: (.*)/.exec(input)?.[1] ?? '',
    hasSound: / Audio: /.test(input),
    said,
    commandLine: commandLine.replaceAll('\0', ' '),
  }
}
