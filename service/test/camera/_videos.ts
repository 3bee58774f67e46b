import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needCommand } from '../_debian.ts'

const run = promisify(execFile)

const H264 = '-c:v libx264 -preset ultrafast -tune zerolatency -g 25 -pix_fmt yuv420p'

/** How ffmpeg writes each format; `boundary` of Motion JPEG is `ffmpeg`. */
const FORMATS = {
  ts: `${H264} -f mpegts`,
  flv: `${H264} -f flv`,
  mp4: `${H264} -movflags frag_keyframe+empty_moov+default_base_moof -f mp4`,
  mkv: `${H264} -f matroska`,
  mjpeg: '-c:v mjpeg -f mpjpeg',
} as const

export type VideoFormat = keyof typeof FORMATS

const paths = new Map<string, Promise<string>>()

/** The path of a video with a moving picture of 320x240, 25 pictures a second. */
export function videoPath(format: VideoFormat, seconds = 2): Promise<string> {
  const name = `plumbline-${process.pid}-${seconds}.${format}`
  const path = paths.get(name) ?? write(join(tmpdir(), name), FORMATS[format], seconds)
  paths.set(name, path)
  return path
}

export const video = async (format: VideoFormat, seconds = 2): Promise<Buffer> =>
  readFile(await videoPath(format, seconds))

async function write(path: string, format: string, seconds: number): Promise<string> {
  await needCommand('ffmpeg', 'ffmpeg')
  const input = `-loglevel error -y -f lavfi -i testsrc=size=320x240:rate=25 -t ${seconds}`
  await run('ffmpeg', [...`${input} ${format}`.split(' '), path])
  return path
}
