import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { eventually } from '../_eventually.ts'
import { readWithFfmpeg } from './_ffmpeg.ts'
import { sendLive, startHttpCamera, startTcpServer } from './_http-camera.ts'
import { openSource } from './_open.ts'
import { video, type VideoFormat } from './_videos.ts'

const TYPES: Readonly<Record<VideoFormat, string>> = {
  ts: 'video/mp2t',
  flv: 'video/x-flv',
  mp4: 'video/mp4',
  mkv: 'video/x-matroska',
  mjpeg: 'multipart/x-mixed-replace;boundary=ffmpeg',
}

async function sendVideo(response: ServerResponse, format: VideoFormat = 'ts'): Promise<void> {
  response.writeHead(200, { 'content-type': TYPES[format] })
  await sendLive(response, await video(format))
  response.end()
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/** Whether a header has the user admin and the password pa:ss, for one request of a test. */
const isRight = (header: string) =>
  header === `Basic ${Buffer.from('admin:pa:ss').toString('base64')}` ||
  header.includes(`response="${md5(`${md5('admin:a "cam":pa:ss')}:n"1:${md5('GET:/live?a=b')}`)}"`)

const refusal = (message: string) => ({ name: 'SourceError', message })

describe('a camera with HTTP', () => {
  for (const format of ['ts', 'flv', 'mp4', 'mkv', 'mjpeg'] as const)
    test(`is read by the service, and ffmpeg gets the bytes (${format})`, async () => {
      await using camera = await startHttpCamera((_, response) => sendVideo(response, format))
      await using opened = await openSource(`http://127.0.0.1:${camera.port}/live`)

      const { pictures, video, said, commandLine } = await readWithFfmpeg(opened, { pictures: 30 })

      assert.equal(pictures, 30, said)
      assert.match(video, format === 'mjpeg' ? /^mjpeg/ : /^h264/)
      assert.ok(!commandLine.includes('127.0.0.1'), commandLine)
    })

  test('with Motion JPEG, which has no times, is played at the time at which pictures arrive', async () => {
    await using camera = await startHttpCamera(async (_, response) => {
      response.writeHead(200, { 'content-type': TYPES.mjpeg })
      await sendLive(response, await video('mjpeg'), { seconds: 4 })
    })
    await using opened = await openSource(`http://127.0.0.1:${camera.port}/live`)

    // Half of 50 pictures that are sent in 4 seconds; by their number they would take one.
    const { seconds } = await readWithFfmpeg(opened, { pictures: 25 })

    assert.ok(seconds > 1.4 && seconds < 4, String(seconds))
  })

  test('gets path, query and name of the host as they are, and nothing of the user', async () => {
    const seen: IncomingMessage[] = []
    await using camera = await startHttpCamera((request, response) => {
      seen.push(request)
      return sendVideo(response)
    })
    const path = '/cgi/mjpg/../video.cgi?size=1%2f2&key=$ecret'

    await using _opened = await openSource(
      `http://admin:secret@cam.example:${camera.port}${path}`,
      {
        hosts: ['cam.example', '127.0.0.1'],
        lookup: () => Promise.resolve(['127.0.0.1']),
      },
    )

    const [request] = seen
    assert.equal(request?.url, path)
    assert.equal(request?.headers.host, `cam.example:${camera.port}`)
    assert.equal(request?.headers.authorization, undefined)
  })

  test('gets the log-in that it asks for', async () => {
    for (const challenge of [
      'Basic realm="cam"',
      String.raw`Digest realm="a \"cam\"", nonce="n\"1"`,
    ]) {
      await using camera = await startHttpCamera((request, response) => {
        if (isRight(request.headers.authorization ?? '')) return sendVideo(response)
        response.writeHead(401, { 'www-authenticate': challenge }).end('no')
      })
      const { port } = camera

      await using opened = await openSource(`http://admin:pa%3Ass@127.0.0.1:${port}/live?a=b`)

      assert.equal(opened.failure(), undefined)
      await assert.rejects(
        openSource(`http://admin:wrong@127.0.0.1:${port}/live?a=b`),
        refusal('The camera refused the user name or the password.'),
      )
      await assert.rejects(
        openSource(`http://127.0.0.1:${port}/live?a=b`),
        refusal('The camera asks for a user name and a password.'),
      )
    }
  })

  test('may redirect on its host and port, three times, and nowhere else', async () => {
    await using inner = await startTcpServer()
    await using camera = await startHttpCamera((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
      if (pathname === '/live') return sendVideo(response)
      const left = Number(searchParams.get('left'))
      const to = searchParams.get('to') ?? (left > 1 ? `/?left=${left - 1}` : '/live')
      response.writeHead(302, { location: to }).end()
    })
    const base = `http://127.0.0.1:${camera.port}`

    await (await openSource(`${base}/?left=3`))[Symbol.asyncDispose]()
    await assert.rejects(
      openSource(`${base}/?left=4`),
      refusal('The camera redirects again and again.'),
    )
    const address = `127.0.0.1:${inner.port}`
    for (const to of [
      `http://${address}/`,
      `//${address}/`,
      `https://127.0.0.1:${camera.port}/live`,
      `rtsp://${address}/`,
      'file:///etc/passwd',
      'http://[',
    ])
      await assert.rejects(
        openSource(`${base}/?to=${encodeURIComponent(to)}`),
        refusal('The camera leads to another address, which is not followed.'),
        to,
      )
    assert.equal(inner.connections, 0)
  })

  test('is told apart by what it refuses', async () => {
    await using camera = await startHttpCamera((request, response) => {
      response.writeHead(Number(request.url?.slice(1))).end()
    })
    for (const [status, message] of [
      [403, 'The camera refused access to the stream.'],
      [404, 'The camera has no stream of this path.'],
      [503, 'The camera has no room for another viewer.'],
      [500, 'The camera refused the stream with status 500.'],
      [206, 'The camera refused the stream with status 206.'],
      [302, 'The camera refused the stream with status 302.'],
    ] as const)
      await assert.rejects(
        openSource(`http://127.0.0.1:${camera.port}/${status}`),
        refusal(message),
      )
    const { port } = camera
    await camera[Symbol.asyncDispose]()
    await assert.rejects(
      openSource(`http://127.0.0.1:${port}/live`),
      refusal('The camera refused the connection.'),
    )
  })

  test('that sends something else is refused', async () => {
    await using camera = await startHttpCamera((request, response) => {
      response.end(request.url === '/empty' ? '' : '<!doctype html><title>Log in</title>')
    })
    await assert.rejects(
      openSource(`http://127.0.0.1:${camera.port}/`),
      /^SourceError: The camera sends none of MPEG-TS, FLV, MP4 in fragments, Matroska, Motion JPEG/,
    )
    await assert.rejects(
      openSource(`http://127.0.0.1:${camera.port}/empty`),
      refusal('The camera sent nothing.'),
    )
    await eventually(() => assert.equal(camera.open.size, 0))
  })
})

const openSecure = (port: number, host: string) =>
  openSource(`https://${host}:${port}/live`, {
    hosts: ['cam.example', '127.0.0.1'],
    lookup: () => Promise.resolve(['127.0.0.1']),
  })

describe('a camera with HTTPS', () => {
  test('needs a trusted certificate for its name, and none for an address', async () => {
    await using camera = await startHttpCamera((_, response) => sendVideo(response), {
      name: 'cam.example',
    })

    await using opened = await openSecure(camera.port, '127.0.0.1')

    assert.equal((await readWithFfmpeg(opened)).pictures, 20)
    await assert.rejects(
      openSecure(camera.port, 'cam.example'),
      refusal('The certificate of the camera is not trusted, or is for another name.'),
    )
  })
})
