import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { constants, crc32, deflateRawSync, gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { DamageError } from '../../src/errors/damage-error.ts'
import { RefusedError } from '../../src/errors/refused-error.ts'
import { installCompression } from '../../src/http/responses/compression.ts'
import { installErrorHandlers } from '../../src/http/responses/error-responses.ts'
import { sendJson } from '../../src/http/responses/send-json.ts'
import type { JsonChunks } from '../../src/http/responses/write-json.ts'
import { DeflatePool } from '../../src/encodings/deflate-pool.ts'
import type { DeflatedText } from '../../src/storage/storage.ts'

const pool = new DeflatePool()

const GZIP = { 'accept-encoding': 'gzip' }

/** Some 90 KB that compress badly: a day of 1,440 records. */
const DAY = Array.from({ length: 1_440 }, (_, at) => `{"v":${Math.sqrt(at + 2)},"n":${at}}`).join()

const deflatedDay = (): DeflatedText => ({
  deflated: deflateRawSync(DAY, { level: 1, finishFlush: constants.Z_SYNC_FLUSH }),
  length: DAY.length,
  crc: crc32(DAY),
})

async function* write<Records>(
  days: number,
  read: () => Records,
): AsyncGenerator<string | Records> {
  yield '{"data":['
  for (let day = 0; day < days; day++) {
    if (day > 0) yield ','
    yield read()
  }
  yield ']}'
}

const days = (count: number): JsonChunks => ({
  plain: () => write(count, () => Buffer.from(DAY)),
  gzip: () => write(count, deflatedDay),
})

const textOf = (count: number): string =>
  `{"data":[${Array.from({ length: count }, () => DAY).join()}]}`

async function* failAfter(count: number, error: Error): AsyncGenerator<string | Uint8Array> {
  yield* write(count, () => Buffer.from(DAY))
  throw error
}

/** A service whose only path sends these chunks. */
async function withPieces(make: () => AsyncIterable<string | Uint8Array> | JsonChunks) {
  const logged: string[] = []
  const app = fastify({ logger: { stream: { write: (line: string) => void logged.push(line) } } })
  installErrorHandlers(app)
  app.decorate('deflatePool', pool)
  installCompression(app, pool)
  app.get('/', (_request, reply) => sendJson(reply, make()))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo

  const open = async (headers: Record<string, string>, method = 'GET') => {
    const asked = request({ host: '127.0.0.1', port, headers, method }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    return response
  }
  const get = async (headers: Record<string, string> = {}, method = 'GET') => {
    const response = await open(headers, method)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const isGzip = response.headers['content-encoding'] === 'gzip' && body.length > 0
    const text = (isGzip ? gunzipSync(body) : body).toString()
    return { status: response.statusCode, headers: response.headers, body, text }
  }
  return { open, get, logged, [Symbol.asyncDispose]: () => app.close() }
}

describe('a response of chunks', () => {
  test('is whole, with its length, up to 128 KB of what is sent', async () => {
    await using service = await withPieces(() => days(1))

    for (const headers of [{}, GZIP]) {
      const response = await service.get(headers)
      assert.equal(response.text, textOf(1))
      assert.equal(response.headers['content-length'], String(response.body.length))
      assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(response.headers.vary, 'accept-encoding')
    }
  })

  test('is sent in parts beyond that', async () => {
    await using service = await withPieces(() => days(40))

    for (const headers of [{}, GZIP]) {
      const response = await service.get(headers)
      assert.equal(response.text, textOf(40))
      assert.equal(response.headers['transfer-encoding'], 'chunked')
      assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(response.headers.vary, 'accept-encoding')
    }
  })

  test('is compressed only for a client that accepts it', async () => {
    const asked: string[] = []
    const note = (kind: keyof JsonChunks) => {
      asked.push(kind)
      return days(2)[kind]()
    }
    await using service = await withPieces(() => ({
      plain: () => note('plain') as AsyncIterable<Uint8Array>,
      gzip: () => note('gzip'),
    }))

    assert.equal((await service.get()).headers['content-encoding'], undefined)
    assert.equal((await service.get(GZIP)).headers['content-encoding'], 'gzip')

    assert.deepEqual(asked, ['plain', 'gzip'])
  })

  test('of plain text only is compressed for a client that accepts it', async () => {
    for (const count of [1, 40]) {
      await using service = await withPieces(() => write(count, () => Buffer.from(DAY)))

      const response = await service.get(GZIP)

      assert.equal(response.text, textOf(count))
      assert.ok(response.body.length < textOf(count).length / 2)
    }
  })

  test('has no body for HEAD', async () => {
    for (const count of [1, 40])
      for (const headers of [{}, GZIP]) {
        await using service = await withPieces(() => days(count))

        const response = await service.get(headers, 'HEAD')

        assert.equal(response.status, 200)
        assert.equal(response.body.length, 0)
        assert.equal(response.headers['content-encoding'], headers === GZIP ? 'gzip' : undefined)
      }
  })
})

test('for HEAD reads no more than the limit of a whole response', async () => {
  for (const headers of [{}, GZIP]) {
    let read = 0
    const count = (days: number, day: () => Uint8Array) =>
      write(days, () => {
        read++
        return day()
      })
    await using service = await withPieces(() => count(40, () => Buffer.from(DAY)))

    const response = await service.get(headers, 'HEAD')

    assert.deepEqual([response.status, response.text], [200, ''])
    assert.ok(read < 10, `${read} days were read`)
  }
})

describe('a chunk that cannot be read', () => {
  test('is an error response before anything is sent', async () => {
    const errors: [Error, status: number, name: string][] = [
      [new Error('the disk is gone'), 500, 'ServerError'],
      [new RefusedError('unavailable', 'the disk is busy'), 503, 'Unavailable'],
    ]
    for (const [error, status, name] of errors) {
      await using service = await withPieces(() => failAfter(1, error))
      for (const headers of [{}, GZIP]) {
        const response = await service.get(headers)
        assert.equal(response.status, status)
        assert.equal(JSON.parse(response.text).name, name)
      }
    }
  })

  test('ends the response early afterwards', async () => {
    await using service = await withPieces(() => failAfter(40, new Error('the disk is gone')))

    for (const headers of [{}, GZIP])
      await assert.rejects(service.get(headers), { code: 'ECONNRESET' })
  })

  test('is named in the log by its place where it is damaged, without a stack', async () => {
    const damage = new DamageError('theme records of source 1')
    for (const count of [1, 40]) {
      await using service = await withPieces(() => failAfter(count, damage))
      await service.get().catch(() => {})

      const errors = service.logged.filter((line) => line.includes('"level":50'))
      assert.equal(errors.length, 1)
      assert.match(errors[0]!, /stored data is damaged: theme records of source 1"/)
      assert.doesNotMatch(errors[0]!, /stack/)
    }
  })
})

describe('a client that disconnects', () => {
  for (const headers of [{}, GZIP])
    test(`ends the reading of chunks, ${headers === GZIP ? 'gzip' : 'plain'}`, async () => {
      let read = 0
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      async function* endless(): AsyncGenerator<Uint8Array> {
        try {
          for (;;) {
            read++
            yield Buffer.from(DAY)
          }
        } finally {
          resolve()
        }
      }
      await using service = await withPieces(endless)
      const response = await service.open(headers)
      response.on('error', () => {})

      // Nobody reads, so nothing more is read once the connection is full.
      for (let before = -1; read !== before; await sleep(300)) before = read
      response.destroy()

      await closed
    })
})
