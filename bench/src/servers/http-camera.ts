import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { open, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const PORTION_MILLISECONDS = 40

/** A camera that sends MPEG-TS over HTTP at the pace at which it was taken; 1080p, 25 frames a second. */
export type HttpCamera = AsyncDisposable & { readonly source: string }

/** Makes a clip with a keyframe every two seconds, and sends it to everybody who asks. */
export async function startHttpCamera(
  file: string,
  { seconds, megabits }: { seconds: number; megabits: number },
): Promise<HttpCamera> {
  await makeClip(file, seconds, megabits)
  const { size } = await stat(file)
  const server = createServer(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'video/mp2t' })
    const portion = Math.ceil((size * PORTION_MILLISECONDS) / (seconds * 1000))
    await using clip = await open(file)
    const began = performance.now()
    for (let at = 0; at < size && !response.destroyed; at += portion) {
      const { buffer, bytesRead } = await clip.read(Buffer.alloc(portion), 0, portion, at)
      response.write(buffer.subarray(0, bytesRead))
      const due = began + (at / portion + 1) * PORTION_MILLISECONDS
      await delay(Math.max(0, due - performance.now()))
    }
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the camera has no port')
  return {
    source: `http://127.0.0.1:${address.port}/camera.ts`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function makeClip(file: string, seconds: number, megabits: number): Promise<void> {
  const rate = `${megabits}M`
  const args =
    `-v error -f lavfi -i testsrc2=size=1920x1080:rate=25:duration=${Math.min(seconds, 20)},noise=alls=8:allf=t ` +
    `-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 50 -keyint_min 50 -sc_threshold 0 ` +
    `-b:v ${rate} -minrate ${rate} -maxrate ${rate} -bufsize ${rate} -f mpegts -y ${file}.part`
  await run('ffmpeg', args.split(' '))
  const loop = `-v error -stream_loop ${Math.ceil(seconds / 20) - 1} -i ${file}.part -c copy -t ${seconds} -f mpegts -y ${file}`
  await run('ffmpeg', loop.split(' '))
}

const run = promisify(execFile)
