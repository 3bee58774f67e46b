import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ChromiumPage } from '../_chromium.ts'
import { eventually } from '../_eventually.ts'
import { withService, type TestService } from '../_service.ts'
import { addressOf, beside, siteWith, waitForSegments } from './_cameras.ts'
import { makeClip } from './_camera-clips.ts'
import { startRtspServer, type RtspServer } from './_rtsp-server.ts'

let service: TestService
let token: string
let camera: RtspServer

before(async () => {
  camera = await startRtspServer({ size: [640, 360], gop: 50, user: 'admin', password: 's3cret/@' })
  service = await withService({
    site: siteWith([
      { id: 1, source: 'file:clip.mp4' },
      { id: 2, source: camera.url },
    ]),
    settings: { 'cameras.hosts': ['127.0.0.1'] },
  })
  token = await service.issueToken(1)
  await makeClip(service.folder, 'clip.mp4', { size: '640x360', seconds: 6 })
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await camera[Symbol.asyncDispose]()
})

const VIDEO = `(({ currentTime, videoWidth, videoHeight, readyState }) =>
  ({ currentTime, videoWidth, videoHeight, readyState }))(document.querySelector('video'))`

type Video = { currentTime: number; videoWidth: number; videoHeight: number; readyState: number }

/** Fails unless the video of a page shows pictures that move. */
async function assertPlays(page: ChromiumPage): Promise<void> {
  const before = await eventually(async () => {
    const video = await page.evaluate<Video>(VIDEO)
    assert.ok(video.currentTime > 2.5, JSON.stringify(video))
    return video
  })
  const first = await page.screenshot()
  await setTimeout(1500)
  const second = await page.screenshot()
  const later = await page.evaluate<Video>(VIDEO)

  assert.deepEqual([later.videoWidth, later.videoHeight], [640, 360])
  assert.ok(
    later.currentTime > before.currentTime + 0.5,
    `${before.currentTime}, ${later.currentTime}`,
  )
  assert.ok(!first.equals(second), 'the picture does not move')
}

test('the page of an address shows moving pictures in a browser, with hls.js from the service', async () => {
  const address = beside(await addressOf(service, token, { camera: 1 }), '')
  await using page = await ChromiumPage.open(`${service.service.origin}${address}`)

  await assertPlays(page)

  assert.equal(await page.evaluate('document.querySelector("[role=status]").textContent'), '')
})

test('a camera with RTSP and a password shows moving pictures in a browser, within six seconds', async () => {
  const path = await addressOf(service, token, { camera: 2 })
  const began = performance.now()
  const [name = ''] = await waitForSegments(service, path, 1)
  const segment = await service.call(beside(path, name))
  const milliseconds = performance.now() - began
  await using page = await ChromiumPage.open(`${service.service.origin}${beside(path, '')}`)

  await assertPlays(page)

  assert.equal(segment.status, 200)
  assert.ok(milliseconds < 6000, `${milliseconds} ms`)
  assert.ok(!service.logged.join('').includes('s3cret'))
})

test('the page shows the sentence of the service when the address has expired', async () => {
  const { origin } = service.service
  const path = await addressOf(service, token, { camera: 1 })
  const wrong = path.replace(/[^/]*$/, '').replace(/.{3}\/$/, 'AAA/')
  await using page = await ChromiumPage.open(`${origin}${wrong}`)

  const text = await eventually(async () => {
    const shown = await page.evaluate<string>('document.body.innerText')
    assert.match(shown, /not valid/)
    return shown
  })

  assert.match(text, /This playback address is not valid\./)
})

test('HTTP-FLV plays in a page of another origin, with the library that clients use', async () => {
  const path = await addressOf(service, token, { camera: 1, protocol: 'flv' })
  const library = createRequire(import.meta.url).resolve('mpegts.js/dist/mpegts.js')
  const html = `<!doctype html><video muted autoplay></video><script src="/mpegts.js"></script><script>
    const player = mpegts.createPlayer({ type: 'flv', isLive: true, hasAudio: false, url: '${service.service.origin}${path}' })
    player.attachMediaElement(document.querySelector('video')); player.load(); player.play()
  </script>`
  await using server = createServer(async (request, response) => {
    const isLibrary = request.url === '/mpegts.js'
    response.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html')
    response.end(isLibrary ? await readFile(library) : html)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await using page = await ChromiumPage.open(`http://127.0.0.1:${port}/`)

  await assertPlays(page)
})
