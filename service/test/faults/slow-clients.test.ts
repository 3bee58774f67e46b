import assert from 'node:assert/strict'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import test, { describe } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { startChild, type Child } from '../_child.ts'
import { callHttps } from '../_service.ts'
import { connectRaw, countSockets, readToEnd, until } from './_raw.ts'
import { KEY, makeDataFolder, TOKEN } from './_site.ts'
import { FROM, makeYear, stall, YEAR, YEAR_PATH } from './_stalled.ts'

const MEGABYTE = 1024 * 1024
const HEAD = `POST /ingest/v1/theme HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`

/** Sends a byte ten times a second for as long as the connection takes it. */
function trickle(socket: TLSSocket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 100)
  socket.once('close', () => clearInterval(timer))
}

describe('a request that does not come to its end', () => {
  const DRIPS: Record<string, (socket: TLSSocket) => void> = {
    'headers trickled in': (socket) => {
      socket.write('GET /api/v1/structures HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
      trickle(socket, 'a')
    },
    'a body trickled in': (socket) => {
      socket.write(`${HEAD}Content-Length: 100000\r\n\r\n{"records":[`)
      trickle(socket, ' ')
    },
    'a chunked body trickled in': (socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`)
      trickle(socket, '1\r\n \r\n')
    },
    'a compressed body trickled in': (socket) => {
      socket.write(`${HEAD}Content-Encoding: gzip\r\nContent-Length: 100000\r\n\r\n`)
      // A gzip header whose file name never ends.
      socket.write(Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]))
      trickle(socket, 'a')
    },
    'a body that stops': (socket) => {
      socket.write(`${HEAD}Content-Length: 100000\r\n\r\n{"records":[`)
    },
    'a body that never starts': (socket) => {
      socket.write(`${HEAD}Content-Length: 100000\r\n\r\n`)
    },
    'a request after an answered one, trickled in': (socket) => {
      socket.write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n')
      setTimeout(() => {
        socket.write('GET /')
        trickle(socket, 'a')
      }, 500)
    },
  }

  test('is closed within 10 seconds, whatever the client sends then', async (t) => {
    await using data = await makeDataFolder()
    await using child = await startChild(data.folder)
    const idle = await countSockets(child.pid)

    const closed = Object.entries(DRIPS).map(async ([name, send]) => {
      const socket = await connectRaw(child)
      t.after(() => socket.destroy())
      const start = Date.now()
      send(socket)
      const text = await readToEnd(socket)
      const seconds = (Date.now() - start) / 1000
      assert.ok(seconds < 10, `${name}: ${seconds} s`)
      assert.match(text, /HTTP\/1\.1 408 .*"name":"RequestTimeout"/s, name)
    })
    await Promise.all(closed)

    // Those that trickle on do not keep their connection alive.
    assert.ok(await until(async () => (await countSockets(child.pid)) === idle, 3))
  })
})

const CLIENTS = 16

const newest = async (child: Child): Promise<number> => {
  const start = performance.now()
  const path = `/api/v1/stations/theme/data?token=${TOKEN}&stations=1&limit=1`
  const response = await callHttps(`${child.origin}${path}`, child.certificate, {})
  assert.equal(response.status, 200)
  return performance.now() - start
}

const ingest = async (child: Child, batch: number): Promise<void> => {
  const records = Array.from({ length: 2_000 }, (_, at) => ({
    station: 2,
    time: FROM + (batch * 2_000 + at) * 1000,
    values: { v: Math.random() },
  }))
  const response = await callHttps(`${child.origin}/ingest/v1/theme`, child.certificate, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ records }),
  })
  assert.equal(response.status, 200)
}

describe('clients that do not read', () => {
  test(`${CLIENTS} of them cost little memory, do not disturb others and leave nothing behind`, async (t) => {
    await using data = await makeYear()
    await using child = await startChild(data.folder)
    // The first responses and writes of a process are not measured.
    for (const encoding of ['gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding }
      const year = await callHttps(`${child.origin}${YEAR_PATH}`, child.certificate, { headers })
      assert.equal(year.json<any>().stations[0].data.length, YEAR)
    }
    for (let batch = 0; batch < 60; batch++) await ingest(child, batch)
    await newest(child)
    const idle = await countSockets(child.pid)
    const before = await child.memory()

    const sockets = await Promise.all(Array.from({ length: CLIENTS }, (_, at) => stall(child, at)))
    let most = 0
    const measure = async () => {
      most = Math.max(most, await child.memory())
    }
    for (let moment = 0; moment < 20; moment++) {
      await sleep(100)
      await measure()
    }
    const grown = (most - before) / MEGABYTE
    t.diagnostic(`${CLIENTS} stalled answers: ${grown.toFixed(1)} MB more`)
    assert.ok(grown <= 32, `memory grew by ${grown.toFixed(1)} MB`)

    const waits: number[] = []
    let log = 0
    for (let batch = 60; batch < 460; batch++) {
      await ingest(child, batch)
      waits.push(await newest(child))
      log = Math.max(log, (await stat(join(data.folder, 'plumbline.db-wal'))).size)
      await measure()
    }
    // Writing makes garbage of its own; these responses in memory would be 350 MB.
    assert.ok(most - before <= 160 * MEGABYTE, `memory grew by ${most - before} bytes`)
    const slowest = Math.max(...waits)
    t.diagnostic(
      `newest record at most ${slowest.toFixed(0)} ms, log at most ${(log / MEGABYTE).toFixed(1)} MB, memory at most ${((most - before) / MEGABYTE).toFixed(1)} MB more`,
    )
    assert.ok(slowest < 1000, `the newest record took ${slowest} ms`)
    // 400 batches are some 60 MB; a log that is held back would hold all of them, not 32 MB.
    assert.ok(log < 44 * MEGABYTE, `the log grew to ${log} bytes`)

    for (const socket of sockets) socket.destroy()
    assert.ok(await until(async () => (await countSockets(child.pid)) <= idle, 30))
    assert.ok(child.isRunning)
  })

  test('a client that reads slowly gets every record', async () => {
    await using data = await makeYear()
    await using child = await startChild(data.folder)
    const socket = await stall(child, 1)
    let bytes = 0
    let tail = ''
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      tail = (tail + chunk.toString('latin1')).slice(-200)
      socket.pause()
      setTimeout(() => socket.resume(), bytes < 3 * MEGABYTE ? 5 : 0)
      if (tail.endsWith('\r\n0\r\n\r\n')) socket.destroy()
    })
    socket.resume()
    await once(socket, 'close')

    assert.ok(tail.includes('"time":"2024-12-30 23:59:00"}'))
    assert.ok(bytes > 20 * MEGABYTE)
  })
})
