import { execFile } from 'node:child_process'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needCommand } from '../_debian.ts'

const run = promisify(execFile)

export type Clip = {
  codec?: 'libx264' | 'libx265' | 'mjpeg'
  size?: string
  seconds?: number
  /** Frames between two keyframes, at 25 frames a second. */
  gop?: number
  pixelFormat?: string
}

/** Makes a clip with a moving picture, as a file of the folder `cameras` of a data folder. */
export async function makeClip(
  dataFolder: string,
  name: string,
  {
    codec = 'libx264',
    size = '320x180',
    seconds = 4,
    gop = 25,
    pixelFormat = 'yuv420p',
  }: Clip = {},
): Promise<void> {
  await needCommand('ffmpeg', 'ffmpeg')
  const folder = join(dataFolder, 'cameras')
  await mkdir(folder, { recursive: true })
  const source = `testsrc2=size=${size}:rate=25:duration=${seconds}`
  const encoder = [
    '-c:v',
    codec,
    '-pix_fmt',
    pixelFormat,
    '-g',
    String(gop),
    '-keyint_min',
    String(gop),
  ]
  const fast = codec === 'mjpeg' ? [] : ['-preset', 'ultrafast']
  const file = join(folder, name)
  await run('ffmpeg', [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    source,
    ...encoder,
    ...fast,
    '-y',
    `${file}.new.mkv`,
  ])
  await run('ffmpeg', [
    '-v',
    'error',
    '-i',
    `${file}.new.mkv`,
    '-c',
    'copy',
    '-y',
    `${folder}/new-${name}`,
  ])
  await rename(`${folder}/new-${name}`, file)
}

export type Probe = {
  codec: string
  width: number
  height: number
  frames: number
  keyframe: boolean
}

const PROBE =
  '-v error -select_streams v:0 -count_frames -of json -show_entries stream=codec_name,width,height,nb_read_frames:frame=key_frame -i pipe:0'.split(
    ' ',
  )

/** What ffprobe finds in a piece of video. */
export async function probe(bytes: Uint8Array): Promise<Probe> {
  const child = execFile('ffprobe', PROBE)
  const output: string[] = []
  child.stdout?.on('data', (text: string) => output.push(text))
  child.stdin?.on('error', () => {})
  child.stdin?.end(bytes)
  await new Promise((resolve) => child.once('close', resolve))
  const { streams = [], frames = [] } = JSON.parse(output.join('') || '{}')
  const [stream] = streams
  return {
    codec: stream?.codec_name ?? 'none',
    width: stream?.width ?? 0,
    height: stream?.height ?? 0,
    frames: Number(stream?.nb_read_frames ?? 0),
    keyframe: frames[0]?.key_frame === 1,
  }
}
