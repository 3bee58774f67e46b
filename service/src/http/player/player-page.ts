import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { PublicFile } from '../responses/public-file.ts'

/** hls.js plays from blobs, and everything it loads comes from here. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  'media-src blob: data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The place of the scripts; the page is two levels below the address of the service. */
const SCRIPTS = '/streams/js'

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <title>Camera</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <style>
      body { margin: 0; min-height: 100vh; display: grid; grid-template-rows: 1fr auto; background: #111; color: #eee; font: 1rem/1.5 system-ui, sans-serif }
      video { width: 100%; height: 100%; max-height: calc(100vh - 4rem); background: #000 }
      p { margin: 0; padding: 0.5rem 1rem; min-height: 1.5rem }
    </style>
  </head>
  <body>
    <video autoplay muted playsinline controls></video>
    <p role="status">The camera is being started.</p>
    <noscript><p>This page plays with JavaScript. A player such as VLC opens the address of this page with index.m3u8 at its end.</p></noscript>
    <script src="../js/hls.js"></script>
    <script src="../js/player.js"></script>
  </body>
</html>
`

/** Plays the playlist beside the page, and shows the sentences of the service when it does not play. */
const PLAYER = `'use strict'
const video = document.querySelector('video')
const status = document.querySelector('[role=status]')
const RETRY_MILLISECONDS = 5000

function show(sentence) {
  status.textContent = sentence
}

function playNatively() {
  video.src = 'index.m3u8'
  video.addEventListener('error', () => show('The camera does not play.'))
}

function play() {
  const hls = new Hls({ enableWorker: false, liveSyncDurationCount: 2 })
  hls.on(Hls.Events.ERROR, (_event, { fatal, type, networkDetails, response }) => {
    if (!fatal) return
    show(sentenceOf(networkDetails) || 'The camera does not play at the moment.')
    if (type === Hls.ErrorTypes.MEDIA_ERROR) return hls.recoverMediaError()
    hls.destroy()
    // The address itself is refused: trying again is of no use.
    if (response && response.code === 403) return
    setTimeout(play, RETRY_MILLISECONDS)
  })
  hls.loadSource('index.m3u8')
  hls.attachMedia(video)
}

function sentenceOf(request) {
  try {
    return JSON.parse(request.responseText).message
  } catch {
    return ''
  }
}

video.addEventListener('playing', () => show(''))
video.addEventListener('waiting', () => show('Waiting for the camera.'))
if (Hls.isSupported()) play()
else if (video.canPlayType('application/vnd.apple.mpegurl')) playNatively()
else show('This browser cannot play HLS.')
`

const JAVASCRIPT = 'application/javascript; charset=utf-8'
const LIBRARY_CACHE = 'public, max-age=86400'

export const PLAYER_PAGE = { html: PAGE, policy: POLICY } as const

/** Serves the scripts of the page that plays a camera. */
export function installPlayerScripts(app: FastifyInstance): void {
  const serve = (name: string, file: PublicFile, cache: string) =>
    app.get(`${SCRIPTS}/${name}`, { schema: { hide: true } }, async (request, reply) =>
      file.send(request, reply.header('content-type', JAVASCRIPT).header('cache-control', cache)),
    )
  serve('player.js', new PublicFile(async () => PLAYER), 'no-store')
  serve('hls.js', new PublicFile(loadLibrary), LIBRARY_CACHE)
}

const loadLibrary = (): Promise<Buffer> =>
  readFile(createRequire(import.meta.url).resolve('hls.js/dist/hls.light.min.js'))
