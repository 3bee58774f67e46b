import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { createServer } from 'node:tls'
import { readWithFfmpeg } from './_ffmpeg.ts'
import { listen, signFor } from './_http-camera.ts'
import { openSource } from './_open.ts'
import { startRtspServer } from './_rtsp-server.ts'

/** What encrypts, and passes on to a port that does not. */
const startTlsProxy = async (port: number) =>
  listen(
    createServer(await signFor('cam.example'), (socket) => {
      const inner = connect(port, '127.0.0.1')
      socket.pipe(inner).on('error', () => {})
      inner.pipe(socket).on('error', () => {})
    }),
  )

const PASSWORD = 's3cret "wörd"/@:'

describe('a camera with RTSP', () => {
  test('is read by ffmpeg, its video alone', async () => {
    await using server = await startRtspServer()
    await using opened = await openSource(server.url)

    const { pictures, video, hasSound, said } = await readWithFfmpeg(opened)

    assert.equal(pictures, 20, said)
    assert.match(video, /^h264.* 320x240/)
    assert.equal(hasSound, false)
    assert.equal(opened.failure(), undefined)
  })

  for (const [scheme, codec] of [
    ['digest', 'h265'],
    ['basic', 'mjpeg'],
  ] as const)
    test(`that asks for a ${scheme} log-in gets it from the service, not from ffmpeg (${codec})`, async () => {
      await using server = await startRtspServer({
        codec,
        scheme,
        user: 'admin',
        password: PASSWORD,
      })
      await using opened = await openSource(server.url)

      const { pictures, video, said, commandLine } = await readWithFfmpeg(opened)

      assert.equal(pictures, 20, said)
      assert.match(video, codec === 'h265' ? /^hevc/ : /^mjpeg/)
      for (const secret of ['admin', 's3cret', '/cam ', String(server.port)])
        assert.ok(!commandLine.includes(secret), commandLine)
      assert.equal(opened.failure(), undefined)
    })

  test('that encrypts with a certificate of its own is read (rtsps)', async () => {
    await using server = await startRtspServer()
    await using camera = await startTlsProxy(server.port)
    await using opened = await openSource(`rtsps://127.0.0.1:${camera.port}/cam`)

    const { pictures, said } = await readWithFfmpeg(opened)

    assert.equal(pictures, 20, said)
  })

  test('that refuses user or password says so', async () => {
    await using server = await startRtspServer({ user: 'admin', password: 'right' })
    const { port } = server
    for (const [login, sentence] of [
      ['admin:wrong@', 'The camera refused the user name or the password.'],
      ['', 'The camera asks for a user name and a password.'],
    ] as const) {
      await using opened = await openSource(`rtsp://${login}127.0.0.1:${port}/cam`)

      const { pictures } = await readWithFfmpeg(opened)

      assert.equal(pictures, 0)
      assert.equal(opened.failure(), sentence)
    }
  })
})
