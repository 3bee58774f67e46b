import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { IDS, SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'
import { readRecords } from './_ingest.ts'

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

describe('ingestPoints', () => {
  const T = 1_772_362_800
  const line = (fields: string, time: number | string = T) =>
    `wire,sensor=${IDS.wire},host=gw ${fields} ${time}`
  const post = (service: TestService, body: string | Uint8Array, call: Call = {}) =>
    service.call(`/ingest/v1/influx${call.query ?? '?precision=s'}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8', ...call.headers },
      body,
    })
  type Call = { query?: string; headers?: Record<string, string> }

  test('stores points as raw records; those of one sensor and time complete each other', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const response = await post(
      service,
      `# from a gateway\n${line('frequency=1500')}\n\n${line('temperature=20i')}\r\n`,
      { headers: bearer(key) },
    )

    assert.deepEqual(response.json(), { accepted: 2, replaced: 0, rejected: [] })
    const [record] = await readRecords(service, 1003)
    assert.deepEqual(record, { strain: 0, temperature: 20, time: '2026-03-01 19:00:00' })
  })

  test('reads timestamps in every unit, and a point without one as of now', async () => {
    const now = (T + 60) * 1000
    await using service = await withService({ site: SITE, now: () => now })
    const key = await service.createKey()
    const units = [
      ['?precision=s', 1n],
      ['?precision=ms', 1000n],
      ['?precision=us', 1_000_000n],
      ['', 1_000_000_000n],
    ] as const

    for (const [at, [query, factor]] of units.entries())
      await post(service, line('temperature=1', String(BigInt(T + at) * factor)), {
        query,
        headers: bearer(key),
      })
    await post(service, line('temperature=1', ''), { headers: bearer(key) })

    const times = (await readRecords(service, 1003)).map(({ time }) => String(time).slice(14))
    assert.deepEqual(times, ['01:00', '00:03', '00:02', '00:01', '00:00'])
  })

  test('names rejected points by their lines, keeps them, and stores the others', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const beyond = Math.floor(Date.now() / 1000) + 200_000
    const lines = [
      line('temperature=1'),
      'wire temperature=1',
      line('temperature=oops'),
      line('temperature="hot"', T + 1),
      line('nothing=1', T + 2),
      line('temperature=1', beyond),
      line('temperature=2', T + 3),
    ]

    const response = await post(service, lines.join('\n'), { headers: bearer(key) })

    const { accepted, rejected } = response.json()
    assert.equal(accepted, 2)
    assert.deepEqual(
      rejected.map(({ index, message }: { index: number; message: string }) => [
        index,
        message.replace(/ \d{4}-.*/, ''),
      ]),
      [
        [1, 'line 2: the point has no tag "sensor"'],
        [
          2,
          `line 3: position ${lines[0]!.indexOf('=1 ') + 2}: expected a number, true, false or a text in double quotes`,
        ],
        [3, 'line 4: value of "temperature" must be a number, not "hot"'],
        [4, 'line 5: sensor VW-01 has no item "nothing"'],
        [5, 'line 6: time'],
      ],
    )
    const kept = await service.storage.rejects.list({ limit: 10 })
    assert.deepEqual(
      kept
        .map(({ origin, place, payload }) => [origin, place, Buffer.from(payload).toString()])
        .toReversed(),
      [1, 2, 3, 4, 5].map((at) => ['influx', `line ${at + 1} (s)`, lines[at]]),
    )
  })

  test('accepts the key as Telegraf and other clients of InfluxDB send it', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const basic = Buffer.from(`telegraf:${key}`).toString('base64')
    const authorizations: Call[] = [
      { headers: { authorization: `Bearer ${key}` } },
      { headers: { authorization: `Token ${key}` } },
      { headers: { authorization: `Token telegraf:${key}` } },
      { headers: { authorization: `Basic ${basic}` } },
      { query: `?precision=s&u=telegraf&p=${key}` },
    ]

    for (const way of authorizations)
      assert.equal(
        (await post(service, line('temperature=1'), way)).status,
        200,
        JSON.stringify(way),
      )
    for (const way of authorizations) {
      const text = JSON.stringify(way)
      const wrong = text.includes(basic)
        ? text.replace(basic, Buffer.from('telegraf:wrong').toString('base64'))
        : text.replace(key, 'wrong')
      assert.equal((await post(service, 'm f=1', JSON.parse(wrong) as Call)).status, 401, wrong)
    }
    assert.ok(!service.logged.join('').includes(key))
  })

  test('accepts gzip and any media type', async () => {
    await using service = await withService({ site: SITE })
    const headers = { ...bearer(await service.createKey()), 'content-encoding': 'gzip' }

    for (const type of ['text/plain', 'application/octet-stream', 'plain/text']) {
      const body = gzipSync(line('temperature=1'))
      const response = await post(service, body, { headers: { ...headers, 'content-type': type } })
      assert.equal(response.json().accepted, 1, type)
    }
  })

  test('an unknown precision is a 400 that names the four', async () => {
    await using service = await withService({ site: SITE })
    const headers = bearer(await service.createKey())

    const response = await post(service, line('temperature=1'), { query: '?precision=h', headers })

    assert.equal(response.status, 400)
    assert.match(response.json().message, /"precision" must be .*ns.*us.*ms.*s/)
  })

  test('points whose mapping replaces records whole leave nothing of the stored one', async () => {
    const whole = { measurement: 'whole', replace: 'whole' } as const
    await using service = await withService({
      site: SITE,
      settings: { 'ingest.lineProtocol': [whole, {}] },
    })
    const headers = bearer(await service.createKey())
    await post(service, `${line('frequency=1500,temperature=20')}`, { headers })
    await post(service, `${line('temperature=21', T + 1)}`, { headers })

    const response = await post(
      service,
      `${line('temperature=22').replace('wire', 'whole')}\n${line('frequency=1500', T + 1)}\n${line('f=1').replace('wire', 'whole')}`,
      { headers },
    )

    const { accepted, replaced, rejected } = response.json()
    assert.deepEqual({ accepted, replaced }, { accepted: 2, replaced: 2 })
    assert.deepEqual(
      rejected.map(({ index }: { index: number }) => index),
      [2],
    )
    assert.deepEqual(await readRecords(service, 1003), [
      { strain: 12.2, temperature: 21, time: '2026-03-01 19:00:01' },
      { temperature: 22, time: '2026-03-01 19:00:00' },
    ])
  })

  test('reads sensors and items as the settings name them', async () => {
    await using service = await withService({
      site: SITE,
      settings: {
        'ingest.lineProtocol': [
          {
            measurement: 'gw',
            sensor: '{host}/{measurement}',
            sensors: { 'a/gw': IDS.wire },
            items: { temp: 'temperature', note: '' },
          },
        ],
      },
    })
    const headers = bearer(await service.createKey())

    const response = await post(service, `gw,host=a temp=5,note="x" ${T}\nother,host=a f=1`, {
      headers,
    })

    assert.deepEqual(response.json(), {
      accepted: 1,
      replaced: 0,
      rejected: [
        { index: 1, message: 'line 2: the settings have no entry for the measurement "other"' },
      ],
    })
  })

  test('converts values from the units that the settings name, and rejects what does not convert', async () => {
    await using service = await withService({
      site: SITE,
      settings: {
        'ingest.lineProtocol': [
          { measurement: 'wire', units: { temperature: '°F' } },
          { measurement: 'gw', units: { temperature: 'bar' } },
        ],
      },
    })
    const headers = bearer(await service.createKey())

    const response = await post(
      service,
      `${line('temperature=212')}\ngw,sensor=${IDS.wire} temperature=1 ${T + 1}`,
      { headers },
    )

    assert.deepEqual(response.json(), {
      accepted: 1,
      replaced: 0,
      rejected: [
        {
          index: 1,
          message:
            'line 2: the unit of "temperature" in the settings is not that of the item: "bar" does not convert to "°C": one is a unit of pressure, the other of temperature',
        },
      ],
    })
    const [record] = await readRecords(service, 1003)
    assert.equal(record.temperature, 100)
  })
})
