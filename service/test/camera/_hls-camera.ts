import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { needCommand } from '../_debian.ts'
import { eventually } from '../_eventually.ts'
import { startHttpCamera, type TestServer } from './_http-camera.ts'

/** How ffmpeg writes segments of one second. */
const FORMS = {
  ts: '-hls_list_size 5 -hls_flags delete_segments',
  mp4: '-hls_list_size 5 -hls_flags delete_segments -hls_segment_type fmp4',
  // Of one file it does not count the segments that it drops.
  ranges: '-hls_list_size 0 -hls_segment_type fmp4 -hls_flags single_file',
} as const

export type HlsForm = keyof typeof FORMS

const INPUT = '-loglevel error -re -f lavfi -i testsrc=size=320x240:rate=25'
const OUTPUT = '-c:v libx264 -preset ultrafast -tune zerolatency -g 25 -pix_fmt yuv420p'
const HLS = '-f hls -hls_time 1'

/** A live stream of HLS that ffmpeg writes and a server of the test sends. */
export async function startHlsCamera(form: HlsForm): Promise<TestServer> {
  await needCommand('ffmpeg', 'ffmpeg')
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-hls-'))
  const args = `${INPUT} ${OUTPUT} ${HLS} ${FORMS[form]}`.split(' ')
  const ffmpeg = spawn('ffmpeg', [...args, 'live.m3u8'], { cwd: folder, stdio: 'ignore' })
  const endWithUs = () => ffmpeg.kill('SIGKILL')
  process.once('exit', endWithUs)
  await eventually(() => stat(join(folder, 'live.m3u8')))
  const server = await startHttpCamera(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://x')
    const bytes = await readFile(join(folder, basename(pathname))).catch(() => undefined)
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    if (bytes === undefined) response.writeHead(404).end()
    else if (start === undefined) response.end(bytes)
    else response.writeHead(206).end(bytes.subarray(Number(start), Number(end) + 1))
  })
  const stop = server[Symbol.asyncDispose]
  return Object.assign(server, {
    async [Symbol.asyncDispose]() {
      process.off('exit', endWithUs)
      const exit = once(ffmpeg, 'exit')
      ffmpeg.kill('SIGKILL')
      await exit
      await stop()
      await rm(folder, { recursive: true })
    },
  })
}
