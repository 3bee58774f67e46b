import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { IDS, SITE } from '../_site.ts'
import { withService } from '../_service.ts'
import { NOON, send } from './_ingest.ts'

const beat = (device: unknown, time: unknown) => ({ device, time })

const ENDPOINTS = ['theme', 'raw', 'traffic', 'vibration', 'heartbeats'] as const

/** 大桥 in GBK. */
const GBK = Buffer.from([0xb4, 0xf3, 0xc7, 0xc5])

describe('an ingest key', () => {
  test('is required by every ingest endpoint before the body is read', async () => {
    await using service = await withService({ site: SITE })
    const token = await service.issueToken()

    for (const endpoint of ENDPOINTS)
      for (const authorization of [undefined, 'Bearer nonsense', `Bearer ${token}`, 'Basic eDp5']) {
        const response = await service.call(`/ingest/v1/${endpoint}`, {
          method: 'POST',
          headers: authorization === undefined ? {} : { authorization },
          body: 'not JSON',
        })
        assert.equal(response.status, 401, `${endpoint} ${authorization}`)
        assert.equal(response.json().name, 'Unauthorized')
      }
  })

  test('reads nothing, and is invalid once revoked', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey('logger')

    const reading = await service.call('/api/v1/structures', {
      headers: { authorization: `Bearer ${key}` },
    })
    await service.storage.ingestKeys.revoke('logger', Date.now())
    const writing = await service.ingest('theme', key, { records: [] })

    assert.deepEqual([reading.status, writing.status], [401, 401])
    assert.ok(!service.logged.join('').includes(key))
  })
})

describe('the body of a record batch', () => {
  const record = { station: 1001, time: NOON, values: { strain: 1 } }
  const json = JSON.stringify({ records: [record] })
  const lines = `${JSON.stringify(record)}\r\n\n${JSON.stringify({ ...record, station: 1002 })}`

  test('is JSON or a record on each line, compressed or not', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const ndjson = { 'content-type': 'application/x-ndjson' }
    const gzip = { 'content-encoding': 'gzip' }

    for (const [headers, body, accepted] of [
      [{}, json, 1],
      [{ 'content-type': 'application/json; charset=utf-8' }, json, 1],
      [{}, `\uFEFF${json}`, 1],
      [gzip, gzipSync(json), 1],
      [ndjson, lines, 2],
      [ndjson, `\uFEFF${lines}\n`, 2],
      [{ 'content-type': 'application/ndjson; charset=utf-8' }, `${lines}\n`, 2],
      [{ ...ndjson, ...gzip }, gzipSync(lines), 2],
      [{ ...ndjson, 'content-encoding': 'identity' }, lines, 2],
      [ndjson, '', 0],
    ] as const) {
      const response = await send(service, 'theme', key, { headers, body })
      assert.deepEqual(
        [response.status, response.json().accepted, response.json().rejected],
        [200, accepted, []],
        JSON.stringify(headers),
      )
    }
  })

  test('a line that is not JSON is rejected with its number, and the others are stored', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const response = await send(service, 'theme', key, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify(record)}\n{"station":\n${JSON.stringify({ ...record, station: 1002 })}`,
    })

    assert.equal(response.json().accepted, 2)
    assert.equal(response.json().rejected.length, 1)
    assert.equal(response.json().rejected[0].index, 1)
  })

  test('with a record that is not UTF-8 rejects that record, and stores the others', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const good = JSON.stringify(record)
    const broken = [Buffer.from(`{"records":[${good},{"station":1002,"time":"`), GBK]

    const response = await send(service, 'theme', key, {
      body: Buffer.concat([...broken, Buffer.from('"}]}')]),
    })

    assert.equal(response.json().accepted, 1)
    assert.equal(response.json().rejected[0].index, 1)
    assert.match(response.json().rejected[0].message, /not UTF-8/)
  })

  test('that cannot be parsed is a 400 IngestError with the reason', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const gzip = { 'content-encoding': 'gzip' }

    for (const [headers, body, reason] of [
      [{}, '{"records":', /the body is not JSON/],
      [{}, '', /"records" must be a list/],
      [{}, '[]', /"records" must be a list/],
      [{}, 'null', /"records" must be a list/],
      [{}, '{"records":{}}', /"records" must be a list/],
      [{ 'content-type': 'text/csv' }, 'station,time', /the body is not JSON/],
      [gzip, json, /./],
      [
        {},
        Buffer.concat([Buffer.from('{"records":[],"a":"'), GBK, Buffer.from('"}')]),
        /is not UTF-8/,
      ],
      [gzip, gzipSync(json).subarray(0, 30), /./],
      [{ 'content-encoding': 'br' }, json, /Content-Encoding must be gzip or left out/],
    ] as const) {
      const response = await send(service, 'theme', key, { headers, body })
      assert.equal(response.status, 400, String(reason))
      assert.equal(response.json().name, 'IngestError')
      assert.match(response.json().message, /^Theme records could not be stored: /)
      assert.match(response.json().message, reason)
    }
  })

  test('of another media type is a 400 that names it, and what is expected', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const expected = 'this path expects application/json or application/x-ndjson.'

    for (const [headers, body, words] of [
      // As curl sends JSON without a header.
      [
        { 'content-type': 'application/x-www-form-urlencoded' },
        json,
        'is "application/x-www-form-urlencoded"',
      ],
      [{ 'content-type': 'text/csv; charset=utf-8' }, 'station,time', 'is "text/csv"'],
      [{ 'content-type': '' }, 'station,time', 'is missing'],
    ] as const) {
      const response = await send(service, 'theme', key, { headers, body })

      assert.equal(response.status, 400)
      const { message } = response.json()
      assert.ok(message.endsWith(`; the header "Content-Type" ${words}, ${expected}`), message)
    }
  })

  test('of a fitting media type is refused without a word about it', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    for (const type of ['application/json; charset=UTF-8', 'application/vnd.x+json', 'text/json']) {
      const response = await send(service, 'theme', key, {
        headers: { 'content-type': type },
        body: '{',
      })
      assert.equal(
        response.json().message,
        'Theme records could not be stored: the body is not JSON.',
      )
    }
  })

  test('that is too large is a 413, compressed or not', async () => {
    await using service = await withService({
      site: SITE,
      settings: { 'http.maxBodyMegabytes': 1 },
    })
    const key = await service.createKey()
    const large = JSON.stringify({ records: [], filler: 'x'.repeat(1_100_000) })

    for (const [headers, body] of [
      [{}, large],
      [{ 'content-encoding': 'gzip' }, gzipSync(large)],
    ] as const) {
      const response = await send(service, 'theme', key, { headers, body })
      assert.equal(response.status, 413)
      assert.equal(response.json().name, 'TooLarge')
    }
    const token = await service.issueToken()
    const reading = await service.call(`/api/v1/users/1/alarms?token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: large,
    })
    assert.deepEqual([reading.status, reading.json().name], [400, 'FindError'])
  })
})

describe('ingestHeartbeats', () => {
  test('the last contact of each device is kept; an older one changes nothing', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const response = await service.ingest('heartbeats', key, {
      devices: [
        beat(IDS.logger.toUpperCase(), '2026-03-01T11:00:00Z'),
        beat(IDS.logger, '2026-03-01T10:00:00Z'),
        beat(IDS.wire, NOON),
        beat('x', NOON),
        beat(IDS.wire, 'x'),
        null,
      ],
    })

    assert.equal(response.json().accepted, 3)
    assert.deepEqual(
      response.json().rejected.map(({ index, message }: any) => [index, message.slice(0, 34)]),
      [
        [3, 'device "x" is not known'],
        [4, 'time must be a local date and time'],
        [5, 'a heartbeat must be {device, time}'],
      ],
    )
    const contacts = await service.storage.devices.listContacts()
    assert.deepEqual(
      contacts.toSorted((one, two) => one.device.localeCompare(two.device)),
      [
        { device: IDS.logger, time: Date.UTC(2026, 2, 1, 11) },
        { device: IDS.wire, time: Date.UTC(2026, 2, 1, 4) },
      ],
    )
  })
})
