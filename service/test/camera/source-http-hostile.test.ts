import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { OpenedSource } from '../../src/camera/source/opened-source.ts'
import { eventually } from '../_eventually.ts'
import { readWithFfmpeg } from './_ffmpeg.ts'
import { startHttpCamera, startTcpServer } from './_http-camera.ts'
import { openSource } from './_open.ts'
import { video } from './_videos.ts'

const refusal = (message: string) => ({ name: 'SourceError', message })

async function openTcp(visit: (socket: Socket) => void): Promise<OpenedSource> {
  await using camera = await startTcpServer(visit)
  return await openSource(`http://127.0.0.1:${camera.port}/`, { stallSeconds: 1 })
}

describe('a camera that does not behave', () => {
  test('and sends no more is given up, whether it ended or stalled', async () => {
    const bytes = await video('ts')
    await using camera = await startHttpCamera((request, response) => {
      response.write(bytes)
      if (request.url === '/ends') response.end()
      if (request.url === '/breaks') setTimeout(() => response.destroy(), 50)
    })
    for (const [path, sentence] of [
      ['/ends', 'The camera ended the stream.'],
      ['/breaks', 'The connection to the camera broke.'],
      ['/stalls', 'The camera sent nothing for 1 seconds.'],
    ] as const) {
      const base = `http://127.0.0.1:${camera.port}`
      await using opened = await openSource(`${base}${path}`, { stallSeconds: 1 })

      const { pictures } = await readWithFfmpeg(opened, { pictures: 1_000 })

      assert.equal(pictures, 50)
      assert.equal(opened.failure(), sentence)
      await eventually(() => assert.equal(camera.open.size, 0))
    }
  })

  test('and floods is given up', async () => {
    const bytes = await video('ts')
    await using camera = await startTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const fill = () => {
        while (!socket.destroyed && socket.write(bytes));
      }
      socket.on('drain', fill)
      fill()
    })
    await using opened = await openSource(`http://127.0.0.1:${camera.port}/`, { maxMegabits: 2 })

    await readWithFfmpeg(opened, { pictures: 1e6 })

    assert.equal(opened.failure(), 'The camera sent more than 2 Mbit/s.')
  })

  test('and whose head has no end, or is none, is given up', async () => {
    await assert.rejects(
      openTcp((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const timer = setInterval(() => socket.write('x: y\r\n'), 100)
        socket.on('close', () => clearInterval(timer))
      }),
      refusal('The camera did not respond within 1 seconds.'),
    )
    for (const text of [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1e6)}`, 'SSH-2.0-dropbear\r\n', '\0'])
      await assert.rejects(
        openTcp((socket) => socket.end(text)),
        refusal('The camera does not respond as HTTP does.'),
      )
  })

  test('does not fill the memory while ffmpeg reads nothing, which is no stall', async () => {
    const bytes = await video('ts', 20)
    let sent = 0
    await using camera = await startTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const fill = () => {
        do sent += bytes.length
        while (!socket.destroyed && socket.write(bytes))
      }
      socket.on('drain', fill)
      fill()
    })
    await using opened = await openSource(`http://127.0.0.1:${camera.port}/`, {
      stallSeconds: 1,
      maxMegabits: 1e6,
    })

    await wait(2_500)

    assert.equal(opened.failure(), undefined)
    assert.ok((opened.stdin?.readableLength ?? 0) < 1e6)
    assert.ok(sent < 1e8, String(sent))
  })

  test('is let go when it is closed, and while it is opened', async () => {
    const bytes = await video('ts')
    await using camera = await startHttpCamera((request, response) => {
      if (request.url === '/live') response.write(bytes)
    })
    const base = `http://127.0.0.1:${camera.port}`
    const opened = await openSource(`${base}/live`)

    await opened[Symbol.asyncDispose]()

    await eventually(() => assert.equal(camera.open.size, 0))
    assert.equal(opened.failure(), undefined)
    await assert.rejects(openSource(`${base}/silent`, {}, AbortSignal.timeout(100)), {
      name: 'TimeoutError',
    })
    await eventually(() => assert.equal(camera.open.size, 0))
    const open = await openSource(`${base}/live`, {}, AbortSignal.timeout(300))
    await wait(400)
    assert.equal(open.failure(), undefined)
    assert.equal(camera.open.size, 1)
    await open[Symbol.asyncDispose]()
  })
})
