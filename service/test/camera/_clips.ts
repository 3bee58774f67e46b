import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { needCommand } from '../_debian.ts'

const run = promisify(execFile)

/** What a video is, as ffprobe says. */
export type Video = {
  codec: string
  profile: string
  width: number
  height: number
  pixels: string
  frames: number
  /** Seconds of its keyframes since its first frame. */
  keyframes: number[]
}

/** Arguments of encoders. */
export const H264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p'
export const H264_TEN_BITS = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p10le'
export const HEVC = '-c:v libx265 -preset ultrafast -pix_fmt yuv420p -x265-params log-level=none'
export const MJPEG = '-c:v mjpeg -pix_fmt yuvj420p -f avi'

/** A folder for the clips of a test file, removed after its tests. */
export async function makeFolder(): Promise<string> {
  await needCommand('ffmpeg', 'ffmpeg')
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-clips-'))
  after(() => rm(folder, { recursive: true }))
  return folder
}

/** Makes a clip of moving shapes with 25 frames a second, and returns its path. */
export async function makeClip(
  path: string,
  encoder: string,
  { size = '320x240', seconds = 3, gop = 25, sound = false } = {},
): Promise<string> {
  const inputs = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=25`]
  if (sound) inputs.push('-f', 'lavfi', '-i', 'sine')
  const length = ['-t', String(seconds), '-g', String(gop)]
  await run('ffmpeg', ['-v', 'error', ...inputs, ...length, ...encoder.split(' '), path])
  return path
}

/** The heights of the frames of a video, each once, as a decoder sees them. */
export async function frameHeights(folder: string, bytes: Buffer): Promise<number[]> {
  const path = join(folder, 'decoded')
  await writeFile(path, bytes)
  const args = ['-v', 'error', '-of', 'csv=p=0', '-show_entries', 'frame=height', path]
  const { stdout } = await run('ffprobe', args)
  return [...new Set(stdout.match(/\d+/g))].map(Number)
}

/** Asks ffprobe for the streams of a file, or of bytes, and for the frames of its video. */
export async function probe(folder: string, file: string | Buffer): Promise<Video> {
  const path = typeof file === 'string' ? file : join(folder, 'probed')
  if (typeof file !== 'string') await writeFile(path, file)
  const shown = 'stream=codec_name,profile,width,height,pix_fmt:packet=pts_time,flags'
  const args = ['-v', 'error', '-of', 'json', '-show_entries', shown, path]
  const { stdout } = await run('ffprobe', args, { maxBuffer: 2 ** 26 })
  const { streams, packets } = JSON.parse(stdout)
  if (streams.length !== 1) throw new Error(`${streams.length} streams in place of one`)
  const [{ codec_name: codec, profile, width, height, pix_fmt: pixels }] = streams
  const times: number[] = packets.map(({ pts_time }: { pts_time: string }) => Number(pts_time))
  const first = Math.min(...times)
  const keyframes = times
    .filter((_, at) => packets[at].flags.startsWith('K'))
    .map((time) => Math.round((time - first) * 100) / 100)
  return { codec, profile, width, height, pixels, frames: packets.length, keyframes }
}
