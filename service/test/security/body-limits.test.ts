import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startChild, type Child } from '../_child.ts'
import { makeDataFolder, type DataFolder } from '../faults/_site.ts'
import {
  gzipOf,
  head,
  inChunk,
  MEGABYTE,
  messageOf,
  post,
  send,
  sendSlowly,
  WITH_KEY,
} from './_bodies.ts'

let data: DataFolder
let child: Child

before(async () => {
  data = await makeDataFolder()
  child = await startChild(data.folder, {
    PLUMBLINE_HTTP_MAX_JSON_MEMBERS: '100000',
    PLUMBLINE_HTTP_MAX_BODY_MEGABYTES: '8',
  })
})

after(async () => {
  await child[Symbol.asyncDispose]()
  await data[Symbol.asyncDispose]()
})

const PACKED = { ...WITH_KEY, 'Content-Encoding': 'gzip' }
const THEME = '/ingest/v1/theme'
const GOOD = '{"station":1,"time":1700000000000,"values":{"v":1}}'

describe('the body of an ingest request', () => {
  test('a ratio of more than 200 is a 413 that names the setting', async () => {
    const dense = await gzipOf(' ', 4 * MEGABYTE)
    const small = gzipSync(`{"records":[${GOOD}${' '.repeat(900_000)}]}`)

    const refused = await post(child, THEME, dense, PACKED)
    const stored = await post(child, THEME, small, PACKED)

    assert.equal(refused.status, 413)
    assert.match(messageOf(refused), /at most 200 bytes .* \(http\.maxInflationRatio\)/)
    assert.equal(stored.status, 200)
  })

  test('announced bytes do not count as sent, and sent bytes count once', async () => {
    const dense = await gzipOf(' ', 4 * MEGABYTE)
    const announced = { ...PACKED, 'Content-Length': 8 * MEGABYTE, Connection: 'close' }

    const refused = await send(child, head(THEME, announced), dense)
    const twice = await post(child, THEME, Buffer.concat([dense, dense]), PACKED)

    for (const response of [refused, twice]) {
      assert.equal(response.status, 413)
      assert.match(messageOf(response), /http\.maxInflationRatio/)
    }
  })

  for (const behind of ['xy', '\0', '\0x', 'x'.repeat(100_000), '\0'.repeat(100_000)])
    test(`${behind.length} bytes after the end of its gzip are a 400, ${JSON.stringify(behind[0])} first`, async () => {
      const packed = gzipSync(`{"records":[${GOOD}]}`)
      const rest = Buffer.from(behind)
      const chunked = { ...PACKED, 'Transfer-Encoding': 'chunked', Connection: 'close' }
      const announced = {
        ...PACKED,
        'Content-Length': packed.length + rest.length,
        Connection: 'close',
      }
      const [first, last] = [inChunk(packed), inChunk(rest)]

      const responses = [
        await post(child, THEME, Buffer.concat([packed, rest]), PACKED),
        await send(child, head(THEME, chunked), first, last, '0\r\n\r\n'),
        await sendSlowly(child, head(THEME, chunked), first, last, '0\r\n\r\n'),
        await sendSlowly(child, head(THEME, announced), packed, rest),
      ]

      for (const response of responses) {
        assert.equal(response.status, 400, response.body)
        assert.match(messageOf(response), /the body has bytes after the end of its gzip data/)
      }
    })

  test('several gzip members are one body, also where they arrive one after another', async () => {
    const members = [`{"records":[${GOOD}`, ']}'].map((part) => gzipSync(part))
    const chunked = { ...PACKED, 'Transfer-Encoding': 'chunked', Connection: 'close' }

    const parts = [...members.map(inChunk), '0\r\n\r\n']
    const responses = [
      await post(child, THEME, Buffer.concat(members), PACKED),
      await sendSlowly(child, head(THEME, chunked), ...parts),
    ]

    for (const response of responses) assert.equal(response.status, 200, response.body)
  })

  test('more bytes than http.maxBodyMegabytes are a 413 that names it', async () => {
    const response = await post(child, THEME, ' '.repeat(8 * MEGABYTE + 1), WITH_KEY)

    assert.equal(response.status, 413)
    assert.match(
      messageOf(response),
      /at most 8388608 bytes, decompressed \(http\.maxBodyMegabytes\)/,
    )
  })

  test('too many members and too deep a body are a 400 that names the setting', async () => {
    const many = await post(child, THEME, `{"records":[${'1,'.repeat(200_000)}1]}`, WITH_KEY)
    const deep = await post(child, THEME, '['.repeat(1_000), WITH_KEY)

    assert.deepEqual([many.status, deep.status], [400, 400])
    assert.match(messageOf(many), /at most 100000 members and elements \(http\.maxJsonMembers\)/)
    assert.match(messageOf(deep), /at most 32 levels \(http\.maxJsonDepth\)/)
  })

  test('members are counted over all lines of a body', async () => {
    const line = `{"a":[${'1,'.repeat(40_000)}1]}\n`
    const as = { ...WITH_KEY, 'Content-Type': 'application/x-ndjson' }

    const two = await post(child, THEME, line.repeat(2), as)
    const three = await post(child, THEME, line.repeat(3), as)

    assert.deepEqual([two.status, three.status], [200, 400])
    assert.match(messageOf(three), /at most 100000 members and elements \(http\.maxJsonMembers\)/)
  })

  test('a record that is nested too deep is named, and the others are stored', async () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000)
    const as: Record<string, string> = {
      'application/json': `{"records":[${GOOD},${deep},${GOOD}]}`,
      'application/x-ndjson': [GOOD, deep, GOOD].join('\n'),
    }
    for (const [type, body] of Object.entries(as)) {
      const response = await post(child, THEME, body, { ...WITH_KEY, 'Content-Type': type })

      assert.equal(response.status, 200, response.body)
      const report = JSON.parse(response.body) as Record<string, any>
      assert.equal(report.accepted, 2)
      assert.deepEqual(
        report.rejected.map(({ index }: { index: number }) => index),
        [1],
      )
      assert.match(report.rejected[0].message, /http\.maxJsonDepth/)
    }
  })

  test('huge numbers, duplicate members and __proto__ are read as JSON defines them', async () => {
    const digits = '9'.repeat(100_000)
    const body = `{"records":[
      {"station":1,"time":1700000000000,"values":{"v":${digits}}},
      {"station":1,"time":1700000000000,"values":{"v":0.${digits}}},
      {"station":2,"station":1,"time":1700000000000,"values":{"v":1}},
      {"station":1,"time":1700000000000,"values":{"v":1},"__proto__":{"station":3}}]}`

    const response = await post(child, THEME, body, WITH_KEY)

    const report = JSON.parse(response.body) as Record<string, any>
    assert.equal(report.accepted, 3)
    assert.match(report.rejected[0].message, /is not finite/)
  })
})
