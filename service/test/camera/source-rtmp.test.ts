import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { SourceError, type OpenedSource } from '../../src/camera/source/opened-source.ts'
import { parseSource } from '../../src/camera/source/parse-source.ts'
import { openRtmpSource } from '../../src/camera/source/rtmp/open-rtmp-source.ts'
import { eventually } from '../_eventually.ts'
import { readWithFfmpeg } from './_ffmpeg.ts'
import { listen, signFor, startTcpServer } from './_http-camera.ts'
import { afterHandshake, redirection, startRtmpServer } from './_rtmp-server.ts'

const run = promisify(execFile)

/** A stream whose name is secret. */
const SECRET = '/live/s3cret-name'

/** What a script would take for its own, and a slash that divides nothing. */
const KEY = String.raw`?key=o'clock\&sign=a/b`

function open(text: string, limits = {}): Promise<OpenedSource> {
  const source = parseSource(text)
  assert.ok(source.scheme !== 'file')
  const { signal } = new AbortController()
  return openRtmpSource(source, '127.0.0.1', {
    stallSeconds: 10,
    maxMegabits: 30,
    signal,
    ...limits,
  })
}

/** Reads until there are pictures: a stream that begins is not known to the server at once. */
const readUntilPublished = (url: string) =>
  eventually(async () => {
    await using opened = await open(url)
    const seen = await readWithFfmpeg(opened, { pictures: 30 })
    assert.equal(seen.pictures, 30, seen.said)
    return { ...seen, failure: opened.failure() }
  })

describe('a camera with RTMP', () => {
  test('is read by ffmpeg, without the name of its stream in arguments and messages', async () => {
    await using server = await startRtmpServer(SECRET)
    const { port } = server

    const { video, commandLine, said, failure } = await readUntilPublished(
      `rtmp://cam.example:${port}${SECRET}${KEY}`,
    )

    assert.match(video, /^h264.* 320x240/)
    assert.equal(failure, undefined)
    for (const secret of ['s3cret', 'clock', 'sign', 'live', 'cam.example', String(port)])
      assert.ok(!commandLine.includes(secret), commandLine)
    assert.doesNotMatch(said, /s3cret|clock|sign=/)
  })

  test('is played live: pictures have the times at which they were taken', async () => {
    await using server = await startRtmpServer('/live/times')
    const url = `rtmp://127.0.0.1:${server.port}/live/times`
    await readUntilPublished(url)
    const folder = await mkdtemp(join(tmpdir(), 'plumbline-rtmp-'))
    await using stack = new AsyncDisposableStack()
    stack.defer(() => rm(folder, { recursive: true }))
    const opened = stack.use(await open(url))
    const file = join(folder, 'out.ts')
    const before = performance.now()

    await readWithFfmpeg(opened, { pictures: 100, output: ['-c', 'copy', file] })

    const seconds = (performance.now() - before) / 1000
    assert.ok(seconds > 2.5 && seconds < 7, `${seconds} s for 4 s`)
    const { stdout } = await run('ffprobe', [
      ...'-loglevel error -show_entries packet=dts_time -of csv=p=0'.split(' '),
      file,
    ])
    const times = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map(Number.parseFloat)
    const gaps = times.slice(1).map((time, at) => time - times[at]!)
    assert.equal(times.length, 100)
    assert.ok(
      gaps.every((gap) => Math.abs(gap - 0.04) < 0.002),
      gaps.join(' '),
    )
  })

  test('is read through TLS, whoever signed its certificate', async () => {
    await using server = await startRtmpServer('/live/name')
    const certificate = await signFor('cam.example')
    await using encrypted = await listen(
      createTlsServer(certificate, (socket) => {
        const plain = connect(server.port, '127.0.0.1')
        socket.on('error', () => plain.destroy()).pipe(plain)
        plain.on('error', () => socket.destroy()).pipe(socket)
      }),
    )

    const { video } = await readUntilPublished(`rtmps://cam.example:${encrypted.port}/live/name`)

    assert.match(video, /^h264/)
  })

  test('a path without a stream, and a user before the host, are refused unasked', async () => {
    await using camera = await startTcpServer()
    for (const [text, sentence] of [
      [`rtmp://127.0.0.1:${camera.port}/live`, /has an application and the name of a stream/],
      [`rtmp://admin:s3cret@127.0.0.1:${camera.port}/live/a`, /no user name and no password/],
    ] as const)
      await assert.rejects(open(text), (error) => {
        assert.ok(error instanceof SourceError)
        assert.match(error.message, sentence)
        assert.doesNotMatch(error.message, /s3cret/)
        return true
      })
    assert.equal(camera.connections, 0)
  })
})

/** Reads a server that gives no pictures; resolves with why. */
async function readFrom(port: number, limits = {}): Promise<string | undefined> {
  await using opened = await open(`rtmp://127.0.0.1:${port}/live/s3cret`, limits)
  const { pictures, said } = await readWithFfmpeg(opened)
  assert.equal(pictures, 0)
  assert.doesNotMatch(said, /s3cret/)
  return opened.failure()
}

describe('a hostile RTMP server', () => {
  test('that leads to an inner server leads nowhere', async () => {
    await using inner = await startTcpServer()
    let asked = 0
    await using camera = await startTcpServer((socket) =>
      afterHandshake(socket, () => {
        asked++
        socket.end(redirection(`rtmp://127.0.0.1:${inner.port}/live/a`))
      }),
    )

    await readFrom(camera.port)

    assert.equal(asked, 1)
    assert.equal(camera.connections, 1)
    assert.equal(inner.connections, 0)
  })

  test('that stalls is given up, before and after the handshake', async () => {
    await using silent = await startTcpServer()
    await using shy = await startTcpServer((socket) => afterHandshake(socket, () => {}))

    for (const { port } of [silent, shy])
      assert.equal(
        await readFrom(port, { stallSeconds: 0.5 }),
        'The camera sent nothing for 0.5 seconds.',
      )
  })

  test('that floods is given up', async () => {
    /** A message of the longest size that goes on and on. */
    const head = Buffer.from([3, 0, 0, 0, 255, 255, 255, 9, 1, 0, 0, 0])
    await using camera = await startTcpServer((socket) =>
      afterHandshake(socket, () => {
        const flood = () => {
          while (socket.writable && socket.write(Buffer.alloc(129 * 512, 0xc3)));
        }
        socket.write(Buffer.concat([head, Buffer.alloc(128)]))
        socket.on('drain', flood)
        flood()
      }),
    )

    assert.equal(
      await readFrom(camera.port, { maxMegabits: 1 }),
      'The camera sent more than 1 Mbit/s.',
    )
  })

  test('that sends garbage, or closes, is an end for ffmpeg alone', async () => {
    await using garbled = await startTcpServer((socket) =>
      socket.end(Buffer.alloc(100_000, 'HTTP')),
    )
    await using closing = await startTcpServer((socket) => socket.end())

    for (const { port } of [garbled, closing])
      assert.match((await readFrom(port)) ?? '', /^(The camera closed the connection\.|)$/)
  })

  test('that listens nowhere is named', async () => {
    const camera = await startTcpServer()
    await camera[Symbol.asyncDispose]()

    await assert.rejects(open(`rtmp://127.0.0.1:${camera.port}/live/a`), {
      name: 'SourceError',
      message: 'The camera refused the connection.',
    })
  })
})

/** Throws unless nobody listens on a port. */
async function assertRefuses(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  try {
    await assert.rejects(once(socket, 'connect'), { code: 'ECONNREFUSED' })
  } finally {
    socket.destroy()
  }
}

/** The port of the relay, as the script names it. */
async function portOf({ stdin }: OpenedSource): Promise<number> {
  const script = Buffer.concat(await (stdin ?? assert.fail()).toArray()).toString()
  return Number(/'rtmp:\/\/127\.0\.0\.1:(\d+)'/.exec(script)?.[1])
}

describe('the relay of RTMP', () => {
  test('takes one connection', async () => {
    await using camera = await startTcpServer((socket) => socket.pipe(socket))
    await using opened = await open(`rtmp://127.0.0.1:${camera.port}/live/a`)
    const port = await portOf(opened)
    const first = connect(port, '127.0.0.1')
    first.write('hello')
    const [answer] = await once(first, 'data')

    await assertRefuses(port)

    assert.equal(String(answer), 'hello')
    assert.equal(camera.connections, 1)
    first.destroy()
    await eventually(() => assert.equal(camera.open.size, 0))
  })

  test('that is closed closes the connection to the camera, and its port', async () => {
    await using camera = await startTcpServer()
    const opened = await open(`rtmp://127.0.0.1:${camera.port}/live/a`)
    const port = await portOf(opened)

    await opened[Symbol.asyncDispose]()

    await eventually(() => assert.equal(camera.open.size, 0))
    await assertRefuses(port)
    assert.equal(opened.failure(), undefined)
  })

  test('reads the camera no faster than ffmpeg reads it', async () => {
    let sent = 0
    await using camera = await startTcpServer((socket) => {
      const flood = () => {
        while (socket.writable && socket.write(Buffer.alloc(65_536))) sent += 65_536
      }
      socket.on('drain', flood)
      flood()
    })
    await using opened = await open(`rtmp://127.0.0.1:${camera.port}/live/a`, {
      maxMegabits: 10_000,
      stallSeconds: 0.2,
    })
    const reader = connect(await portOf(opened), '127.0.0.1').on('error', () => {})
    await once(reader, 'connect')
    let before = -1
    await eventually(async () => {
      const isSteady = sent === before
      before = sent
      await new Promise((resolve) => setTimeout(resolve, 500))
      assert.ok(isSteady)
    })

    assert.ok(sent < 50_000_000, `${sent} bytes`)
    assert.equal(opened.failure(), undefined)
    reader.destroy()
  })
})
