import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../_eventually.ts'
import { readWithFfmpeg } from './_ffmpeg.ts'
import {
  afterPlay,
  at,
  describeVideo,
  frame,
  startHostileRtsp,
  usualReply,
} from './_hostile-rtsp.ts'
import { openSource } from './_open.ts'

const hash = (algorithm: string, text: string) =>
  createHash(algorithm).update(text, 'latin1').digest('hex')

/** The port that ffmpeg is to read. */
const portOf = (input: readonly string[]) => Number(/:(\d+)\//.exec(input.at(-1) ?? '')?.[1])

describe('the log-in at a camera with RTSP', () => {
  for (const [challenge, algorithm] of [
    [String.raw`Digest realm="Login to \"4K0\", a", nonce=NONCE`, 'md5'],
    ['Digest nonce="NONCE" , realm="", qop="auth,auth-int", algorithm="SHA-256"', 'sha256'],
  ] as const)
    test(`renews a nonce that is too old, of a ${algorithm} digest`, async () => {
      const realm = /realm="(Login)?/.exec(challenge)?.[1] === undefined ? '' : 'Login to "4K0", a'
      const secret = hash(algorithm, `admin:${realm}:pa"ss`)
      let nonce = 0
      const isRight = (method: string, authorization: string) => {
        const part = (name: string) =>
          new RegExp(String.raw`\b${name}="?([^",]*)`).exec(authorization)?.[1] ?? ''
        const plain = hash(algorithm, `${method}:${part('uri')}`)
        const between = part('qop') === '' ? '' : `${part('nc')}:${part('cnonce')}:${part('qop')}:`
        return part('response') === hash(algorithm, `${secret}:${part('nonce')}:${between}${plain}`)
      }
      const asked: string[] = []
      await using camera = await startHostileRtsp((request, socket) => {
        const { authorization = '' } = request.headers
        // Each nonce serves one request.
        const isOld = !authorization.includes(`nonce="n${nonce}"`)
        if (!isOld && isRight(request.method, authorization)) {
          asked.push(request.method)
          nonce++
          return request.method === 'PLAY' ? void socket.destroy() : usualReply(request)
        }
        const value = challenge.replace('NONCE', `n${nonce}`)
        return {
          status: 401,
          headers: { 'WWW-Authenticate': `${value}${isOld && nonce > 0 ? ', stale=true' : ''}` },
        }
      })
      await using opened = await openSource(`rtsp://admin:pa"ss@127.0.0.1:${camera.port}/live`)

      await readWithFfmpeg(opened)

      assert.deepEqual(asked, ['OPTIONS', 'DESCRIBE', 'SETUP', 'PLAY'])
      assert.equal(opened.failure(), 'The camera closed the connection.')
    })
})

describe('the relay', () => {
  test('responds to requests of the camera, and takes responses without a number', async () => {
    let said = ''
    await using camera = await startHostileRtsp((request, socket) => {
      if (request.method === 'OPTIONS')
        socket.write(
          'OPTIONS * RTSP/1.0\r\nCSeq: 77\r\n\r\nANNOUNCE * RTSP/1.0\r\nCSeq: 78\r\n\r\n',
        )
      if (request.method === 'DESCRIBE') {
        const body = describeVideo()
        socket.write(`RTSP/1.0 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
        return undefined
      }
      return request.method === 'PLAY' ? void socket.destroy() : usualReply(request)
    })
    for (const socket of camera.open) socket.destroy()
    await using opened = await openSource(`rtsp://127.0.0.1:${camera.port}/live`)
    await eventually(() => assert.equal(camera.open.size, 1))
    for (const socket of camera.open)
      socket.on('data', (chunk: Buffer) => (said += chunk.toString()))

    await readWithFfmpeg(opened)

    assert.match(said, /RTSP\/1\.0 200 OK\r\nCSeq: 77\r\n/)
    assert.match(said, /RTSP\/1\.0 501 Not Implemented\r\nCSeq: 78\r\n/)
    assert.equal(camera.requests.at(-1)?.method, 'PLAY')
  })

  test('takes one connection, and ends the session of a viewer that is killed', async () => {
    await using camera = await startHostileRtsp(
      afterPlay((socket) => socket.write(frame(0, Buffer.alloc(100))), 50),
    )
    await using opened = await openSource(`rtsp://127.0.0.1:${camera.port}/live`)
    const port = portOf(opened.input)
    const ask = (method: string, path: string, headers = '') =>
      `${method} rtsp://127.0.0.1:${port}/camera${path} RTSP/1.0\r\nCSeq: 1\r\n${headers}\r\n`
    const viewer = connect(port, '127.0.0.1')
    let said = ''
    viewer.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')))
    viewer.write(ask('DESCRIBE', '/7') + ask('DESCRIBE', ''))
    await eventually(() => assert.match(said, /404 Not Found[^]*a=control:0/))
    viewer.write(ask('SETUP', '/0') + ask('PLAY', '', 'Session: 42\r\n'))
    await eventually(() => assert.ok(said.includes('$\0\0d')))

    const second = connect(port, '127.0.0.1').on('error', () => {})
    await eventually(() => assert.equal(second.destroyed, true))
    viewer.destroy()

    await eventually(() => {
      const last = camera.requests.at(-1)
      assert.equal(last?.method, 'TEARDOWN')
      assert.equal(last?.headers['session'], '42')
    })
    await eventually(() => assert.equal(camera.open.size, 0))
    assert.equal(opened.failure(), undefined)
    assert.ok(!/10\.9\.8\.7|trackID/.test(said), said)
  })

  test('does not fill the memory while ffmpeg reads nothing, which is no stall', async () => {
    const bytes = frame(0, Buffer.alloc(50_000))
    let sent = 0
    await using camera = await startHostileRtsp(
      at('PLAY', (request, socket) => {
        const fill = () => {
          do sent += bytes.length
          while (!socket.destroyed && socket.write(bytes))
        }
        socket.on('drain', fill)
        setTimeout(fill, 50)
        return usualReply(request)
      }),
    )
    await using opened = await openSource(`rtsp://127.0.0.1:${camera.port}/live`, {
      stallSeconds: 1,
      maxMegabits: 1e6,
    })
    const port = portOf(opened.input)
    const viewer = connect(port, '127.0.0.1')
    viewer.pause()
    viewer.write(`PLAY rtsp://127.0.0.1:${port}/camera RTSP/1.0\r\nCSeq: 1\r\n\r\n`)

    await wait(2_500)

    assert.equal(opened.failure(), undefined)
    assert.ok(sent > 1e6 && sent < 1e8, String(sent))
    viewer.destroy()
  })
})
