import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SourceOptions } from '../../src/camera/source/open-source.ts'
import { eventually } from '../_eventually.ts'
import { readWithFfmpeg } from './_ffmpeg.ts'
import {
  afterPlay,
  at,
  describeVideo,
  frame,
  startHostileRtsp,
  type Respond,
} from './_hostile-rtsp.ts'
import { startTcpServer } from './_http-camera.ts'
import { openSource } from './_open.ts'

/** Reads a camera until it is given up, and returns why. */
async function failureOf(respond: Respond, options: Partial<SourceOptions> = {}) {
  await using camera = await startHostileRtsp(respond)
  await using opened = await openSource(`rtsp://127.0.0.1:${camera.port}/live`, options)
  await readWithFfmpeg(opened)
  await eventually(() => assert.equal(camera.open.size, 0))
  return opened.failure()
}

describe('a camera with RTSP leads nobody elsewhere', () => {
  const ELSEWHERE = 'The camera sends the stream from another address, which is not followed.'

  test('neither by a redirect nor by a request', async () => {
    await using inner = await startTcpServer()
    const Location = `rtsp://127.0.0.1:${inner.port}/live`
    for (const method of ['OPTIONS', 'DESCRIBE', 'SETUP', 'PLAY'])
      assert.equal(
        await failureOf(at(method, () => ({ status: 302, headers: { Location } }))),
        ELSEWHERE,
      )
    assert.equal(
      await failureOf(
        afterPlay(
          (socket) =>
            socket.write(`REDIRECT * RTSP/1.0\r\nCSeq: 9\r\nLocation: ${Location}\r\n\r\n`),
          50,
        ),
      ),
      ELSEWHERE,
    )
    assert.equal(inner.connections, 0)
  })

  test('nor by the addresses in its description, whose paths it gets', async () => {
    await using inner = await startTcpServer()
    const elsewhere = `rtsp://127.0.0.1:${inner.port}`
    const respond = at('DESCRIBE', () => ({
      headers: {
        'Content-Type': 'application/sdp',
        'Content-Base': `${elsewhere}/base?a=b/`,
        Location: elsewhere,
      },
      body: describeVideo(`${elsewhere}/track?c=d`).replace('10.9.8.7', '127.0.0.1'),
    }))
    await using camera = await startHostileRtsp((request, socket) =>
      request.method === 'PLAY' ? void socket.destroy() : respond(request, socket),
    )
    const own = `rtsp://127.0.0.1:${camera.port}`
    await using opened = await openSource(`${own}/cam?channel=1&key=$x`)

    await readWithFfmpeg(opened)

    assert.deepEqual(
      camera.requests.map(({ method, uri }) => `${method} ${uri}`),
      [
        `OPTIONS ${own}/cam?channel=1&key=$x`,
        `DESCRIBE ${own}/cam?channel=1&key=$x`,
        `SETUP ${own}/track?c=d`,
        `PLAY ${own}/base?a=b/`,
      ],
    )
    assert.equal(inner.connections, 0)
    assert.equal(opened.failure(), 'The camera closed the connection.')
  })
})

describe('a camera with RTSP that does not behave', () => {
  test('is given up with the reason that it gave', async () => {
    for (const [method, status, sentence] of [
      ['DESCRIBE', 404, 'The camera has no stream of this path.'],
      ['DESCRIBE', 403, 'The camera refused access to the stream.'],
      ['SETUP', 453, 'The camera has no room for another viewer.'],
      ['PLAY', 500, 'The camera refused the stream with status 500.'],
    ] as const)
      assert.equal(await failureOf(at(method, () => ({ status }))), sentence)
  })

  test('is given up where it offers nothing that is played', async () => {
    const describeAs = (change: (sdp: string) => string) =>
      failureOf(at('DESCRIBE', () => ({ body: change(describeVideo()) })))

    assert.equal(
      await describeAs((sdp) => sdp.replace('m=video', 'm=audio')),
      'The camera offers no video.',
    )
    assert.equal(
      await describeAs((sdp) => sdp.replace('H264/', 'X-QT/')),
      'The camera offers no video in H.264, H.265, MPEG-4 or JPEG.',
    )
    assert.equal(
      await describeAs((sdp) => sdp.replace('control:trackID=1', 'control:http://10.0.0.1/')),
      'The camera described its stream in an unknown way.',
    )
    assert.equal(
      await failureOf(
        at('SETUP', () => ({
          headers: { Session: '1', Transport: 'RTP/AVP;unicast;client_port=1-2' },
        })),
      ),
      'The camera does not send its stream over the connection of RTSP.',
    )
  })

  test('is given up when it sends too much, or nothing of use', async () => {
    const flood = frame(0, Buffer.alloc(60_000, 7))
    assert.equal(
      await failureOf(
        afterPlay((socket) => socket.write(flood), 1),
        { maxMegabits: 2 },
      ),
      'The camera sent more than 2 Mbit/s.',
    )
    const garbage = Buffer.alloc(1_000, 'garbage ')
    assert.equal(
      await failureOf(afterPlay((socket) => socket.write(garbage), 1)),
      'The camera sent something that is not RTSP.',
    )
    assert.equal(
      await failureOf(at('DESCRIBE', (_, socket) => void socket.write('x'.repeat(70_000)))),
      'The camera sent something that is not RTSP.',
    )
  })

  test('is given up when a message is too long, or has no end', async () => {
    const TOO_LONG = 'The camera sent a message of RTSP of more than 64 KB.'
    for (const text of [
      `RTSP/1.0 200 OK\r\n${'X: y\r\n'.repeat(20_000)}`,
      'RTSP/1.0 200 OK\r\nContent-Length: 100000\r\n\r\n',
      'RTSP/1.0 200 OK\r\nContent-Length: -5\r\n\r\n',
      'RTSP/1.0 200 OK\r\nContent-Length: many\r\n\r\n',
    ])
      assert.equal(
        await failureOf(at('DESCRIBE', (_, socket) => void socket.write(text))),
        TOO_LONG,
      )
  })

  test('is given up when it stalls, though it sends reports', async () => {
    const STALLED = 'The camera sent nothing for 1 seconds.'
    assert.equal(
      await failureOf(
        at('DESCRIBE', () => undefined),
        { stallSeconds: 1 },
      ),
      STALLED,
    )
    const report = frame(1, Buffer.alloc(28))
    assert.equal(
      await failureOf(
        afterPlay((socket) => socket.write(report), 100),
        { stallSeconds: 1 },
      ),
      STALLED,
    )
    assert.equal(
      await failureOf(
        at('DESCRIBE', (_, socket) => {
          const timer = setInterval(() => socket.write('X'), 100)
          socket.write('RTSP/1.0 200 OK\r\n')
          socket.on('close', () => clearInterval(timer))
          return undefined
        }),
        { stallSeconds: 1 },
      ),
      STALLED,
    )
  })

  test('is given up when it asks again and again and reads no answer', async () => {
    const request = 'OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n'.repeat(1_000)
    const respond = at('DESCRIBE', (_, socket) => {
      socket.pause()
      const timer = setInterval(() => socket.write(request), 1)
      socket.on('close', () => clearInterval(timer))
      return undefined
    })
    const failure = await failureOf(respond, { maxMegabits: 1e6 })

    assert.equal(failure, 'The camera does not read what it is asked.')
  })

  test('that does not encrypt what it should is given up in time', async () => {
    await using camera = await startTcpServer()

    await assert.rejects(openSource(`rtsps://127.0.0.1:${camera.port}/live`), {
      name: 'SourceError',
      message: 'The camera accepted no connection within 5 seconds.',
    })
    await eventually(() => assert.equal(camera.open.size, 0))
  })
})
