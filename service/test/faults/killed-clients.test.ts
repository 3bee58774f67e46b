import assert from 'node:assert/strict'
import { once } from 'node:events'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { startChild, type Child } from '../_child.ts'
import { callHttps } from '../_service.ts'
import { connectRaw, countSockets, until } from './_raw.ts'
import { KEY, makeDataFolder, TOKEN } from './_site.ts'

const RECORDS = 60_000

/** A folder in which station 1 has a response of some 3 MB. */
const makeFilled = () =>
  makeDataFolder(async (storage) => {
    const times = Array.from({ length: RECORDS }, (_, at) => Date.UTC(2024, 0, 1) + at * 60_000)
    const records = times.map((time) => `{"v":${time % 997},"time":"2024-01-01 00:00:00"}`)
    await storage.records.write({ theme: { sources: times.map(() => 1), times, records } })
  })

const LONG = `/api/v1/stations/theme/data?token=${TOKEN}&stations=1&startTime=2024-01-01+00:00:00&endTime=2025-01-01+00:00:00`

const body = (records: number): string =>
  JSON.stringify({
    records: Array.from({ length: records }, (_, at) => ({
      station: 2,
      time: Date.UTC(2024, 0, 1) + at * 1000,
      values: { v: at },
    })),
  })

const countRecords = async (child: Child, station: number): Promise<number> => {
  const path = LONG.replace('stations=1', `stations=${station}`)
  const response = await callHttps(`${child.origin}${path}`, child.certificate, {})
  return response.json<any>().stations[0].data.length as number
}

/** Errors and warnings of the service, without lines of requests. */
const complaints = (child: Child): string[] =>
  child.logged.split('\n').filter((line) => /"level":[4-6]0/.test(line))

test('clients that vanish in the middle of a response leave nothing behind', async () => {
  await using data = await makeFilled()
  await using child = await startChild(data.folder)
  assert.equal(await countRecords(child, 1), RECORDS)
  const idle = await countSockets(child.pid)

  for (let round = 0; round < 5; round++)
    await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const socket = await connectRaw(child)
        const encoding = at % 2 === 0 ? 'gzip' : 'identity'
        socket.write(`GET ${LONG} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${encoding}\r\n\r\n`)
        if (at % 3 !== 0) await once(socket, 'data')
        if (at % 3 === 2) await sleep(20)
        // Half of them reset the connection, the others only go.
        if (at % 2 === 0) socket.destroy()
        else socket.end(() => socket.destroy())
      }),
    )

  assert.ok(await until(async () => (await countSockets(child.pid)) <= idle, 5))
  assert.equal(await countRecords(child, 1), RECORDS)
  assert.deepEqual(complaints(child), [])
})

test('clients that vanish in the middle of a body store nothing and leave nothing behind', async () => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder)
  assert.equal(await countRecords(child, 2), 0)
  const idle = await countSockets(child.pid)
  const whole = Buffer.from(body(500))
  const zipped = gzipSync(whole)

  await Promise.all(
    Array.from({ length: 24 }, async (_, at) => {
      const socket = await connectRaw(child)
      const isZipped = at % 2 === 0
      const bytes = isZipped ? zipped : whole
      const encoding = isZipped ? 'Content-Encoding: gzip\r\n' : ''
      socket.write(
        `POST /ingest/v1/theme HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n${encoding}Content-Length: ${bytes.length}\r\n\r\n`,
      )
      socket.write(bytes.subarray(0, Math.floor((bytes.length * at) / 24)))
      await sleep(30)
      socket.destroy()
    }),
  )

  assert.ok(await until(async () => (await countSockets(child.pid)) <= idle, 5))
  assert.equal(await countRecords(child, 2), 0)
  assert.deepEqual(complaints(child), [])
})

test('a record batch whose sender vanishes before the response is whole or absent', async () => {
  await using data = await makeDataFolder()
  await using child = await startChild(data.folder)
  const whole = body(500)

  await Promise.all(
    Array.from({ length: 10 }, async (_, at) => {
      const socket = await connectRaw(child)
      socket.write(
        `POST /ingest/v1/theme HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(whole)}\r\n\r\n${whole}`,
      )
      await sleep(at)
      socket.destroy()
    }),
  )

  await sleep(300)
  assert.ok([0, 500].includes(await countRecords(child, 2)))
  assert.deepEqual(complaints(child), [])
})
