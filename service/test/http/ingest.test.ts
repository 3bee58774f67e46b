import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { IDS, ODD_KEYS, SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const raw = (sensor: unknown, time: unknown, values: unknown) => ({ sensor, time, values })

const readVehicles = async (service: TestService): Promise<any[]> => {
  const token = await service.issueToken()
  const response = await service.get(
    '/structures/1/traffic-flow?startTime=2026-03-01+00:00:00&endTime=2026-03-01+23:59:59',
    token,
  )
  return response.json().data
}

const beat = (device: unknown, time: unknown) => ({ device, time })

const NOON = '2026-03-01 12:00:00'
const WAYS = ['theme', 'raw', 'traffic', 'vibration', 'heartbeats'] as const

const theme = (station: unknown, time: unknown, values: unknown) => ({ station, time, values })

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Sends a body as it is, with headers of the test's own. */
const send = (
  service: TestService,
  way: string,
  key: string,
  { headers = {}, body }: { headers?: Record<string, string>; body: string | Uint8Array },
) =>
  service.call(`/ingest/v1/${way}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  })

async function readRecords(service: TestService, station: number): Promise<any[]> {
  const token = await service.issueToken()
  const response = await service.get(`/stations/theme/data?stations=${station}&limit=10000`, token)
  return response.json().stations[0].data
}

/** Why a record is not stored, by the clock of the test that sends it. */
const distant = (time: string) =>
  `time ${time} lies more than a day ahead: the service's clock says 2026-03-01 12:00:00`

describe('an ingest key', () => {
  test('is needed for every way in, before the body is looked at', async () => {
    await using service = await withService({ site: SITE })
    const token = await service.issueToken()

    for (const way of WAYS)
      for (const authorization of [undefined, 'Bearer nonsense', `Bearer ${token}`, 'Basic eDp5']) {
        const response = await service.call(`/ingest/v1/${way}`, {
          method: 'POST',
          headers: authorization === undefined ? {} : { authorization },
          body: 'not JSON',
        })
        assert.equal(response.status, 401, `${way} ${authorization}`)
        assert.equal(response.json().name, 'Unauthorized')
      }
  })

  test('reads nothing, and is useless once revoked', async () => {
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

describe('ingestTheme', () => {
  test('a value arrives unrounded, as the same double in its shortest form', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const body = `{"records":[{"station":1001,"time":"${NOON}","values":{"strain":-478.38300000000004,"temperature":1e-7}}]}`

    const response = await send(service, 'theme', key, { body })

    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [] })
    const [record] = await readRecords(service, 1001)
    assert.deepEqual(record, { strain: -478.38300000000004, temperature: 1e-7, time: NOON })
  })

  test('good records are kept, and each bad one is named with its place and reason', async () => {
    const now = Date.UTC(2026, 2, 1, 4)
    await using service = await withService({ site: SITE, now: () => now })
    const key = await service.createKey()
    const at = (time: unknown) => theme(1001, time, { strain: 1 })
    const of = (values: unknown) => theme(1001, NOON, values)
    const time =
      'time must be a local date and time YYYY-MM-DD HH:mm:ss, an ISO 8601 instant or epoch milliseconds'
    const cases: [unknown, string | undefined][] = [
      [of({ strain: 1 }), undefined],
      [theme(99, NOON, { strain: 1 }), 'station 99 is not known'],
      [theme('1001', NOON, { strain: 1 }), 'station "1001" is not known'],
      [theme(undefined, NOON, {}), 'station nothing is not known'],
      [null, 'a record must be {station, time, values}'],
      [7, 'a record must be {station, time, values}'],
      [[], 'station nothing is not known'],
      [at('yesterday'), time],
      [at('2026-02-30 12:00:00'), time],
      [at('2026-03-01 24:00:00'), time],
      [at(1.5), time],
      [at(null), time],
      [at('2026-03-02 12:00:00'), undefined],
      [at('2026-03-02 12:00:00.001'), distant('2026-03-02 12:00:00')],
      [at('2099-01-01 00:00:00'), distant('2099-01-01 00:00:00')],
      [of({ stress: 1 }), 'station 1001 has no item "stress"'],
      [of({ strain: 1, __proto: 1 }), 'station 1001 has no item "__proto"'],
      [of({ strain: '1' }), 'value of "strain" must be a number, not "1"'],
      [of({ strain: true }), 'value of "strain" must be a number, not true'],
      [
        of({ strain: 2 ** 53 }),
        'value of "strain" is an integer that a double cannot hold exactly',
      ],
      [of({}), 'values holds no value'],
      [of({ strain: null }), 'values holds no value'],
      [of([1]), 'values must be an object of item key to number'],
      [of(undefined), 'values must be an object of item key to number'],
      [theme(1002, NOON, { strain: null, temperature: 20 }), undefined],
    ]

    const response = await service.ingest('theme', key, {
      records: cases.map(([record]) => record),
    })

    assert.equal(response.status, 200)
    assert.deepEqual(response.json(), {
      accepted: 3,
      replaced: 0,
      rejected: cases.flatMap(([, message], index) =>
        message === undefined ? [] : [{ index, message }],
      ),
    })
    assert.deepEqual(await readRecords(service, 1002), [{ temperature: 20, time: NOON }])
  })

  test('a number too large for a double is not finite', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const body = `{"records":[{"station":1001,"time":"${NOON}","values":{"strain":1e999}}]}`

    const response = await send(service, 'theme', key, { body })

    assert.deepEqual(response.json().rejected, [
      { index: 0, message: 'value of "strain" is not finite' },
    ])
  })

  test('the last one wins whole, within a batch and over batches, and is counted as replaced', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const first = await service.ingest('theme', key, {
      records: [
        theme(1001, NOON, { strain: 1, temperature: 20 }),
        theme(1001, '2026-03-01T05:00:00+01:00', { strain: 2 }),
        theme(1002, NOON, { strain: 9 }),
      ],
    })
    const second = await service.ingest('theme', key, {
      records: [theme(1001, Date.UTC(2026, 2, 1, 4), { temperature: 21 })],
    })

    assert.deepEqual(first.json(), { accepted: 3, replaced: 1, rejected: [] })
    assert.deepEqual(second.json(), { accepted: 1, replaced: 1, rejected: [] })
    assert.deepEqual(await readRecords(service, 1001), [{ temperature: 21, time: NOON }])
  })

  test('local text, an instant with offset and epoch milliseconds name the same moment', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const times = [
      '2026-03-01 12:00:00',
      '2026-03-01T12:00:00',
      '2026-03-01T04:00:00Z',
      '2026-03-01T05:00:00.000+01:00',
      '2026-02-28T23:00:00-0500',
      Date.UTC(2026, 2, 1, 4),
    ]

    const response = await service.ingest('theme', key, {
      records: times.map((time) => theme(1001, time, { strain: 1 })),
    })

    assert.deepEqual(response.json(), { accepted: 6, replaced: 5, rejected: [] })
    assert.deepEqual(await readRecords(service, 1001), [{ strain: 1, time: NOON }])
  })

  test('milliseconds tell records apart, and are cut where the time is served', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    await service.ingest('theme', key, {
      records: [
        theme(1001, `${NOON}.500`, { strain: 2 }),
        theme(1001, `${NOON}.999`, { strain: 3 }),
        theme(1001, NOON, { strain: 1 }),
      ],
    })

    const records = await readRecords(service, 1001)
    assert.deepEqual(
      records.map(({ strain, time }) => [strain, time]),
      [
        [3, NOON],
        [2, NOON],
        [1, NOON],
      ],
    )
  })

  test('keys are data: those of objects, with quotes, in any language', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const pairs = ODD_KEYS.map((name, index) => `${JSON.stringify(name)}:${index + 1}`).join(',')
    const body = `{"records":[{"station":2002,"time":"${NOON}","values":{${pairs}}}]}`

    const response = await send(service, 'theme', key, { body })

    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [] })
    const token = await service.issueToken()
    const read = await service.get('/stations/theme/data?stations=2002&limit=1', token)
    assert.ok(read.text.includes(`"data":[{${pairs},"time":"${NOON}"}]`), read.text)
    const names = [...read.text.matchAll(/("(?:[^"\\]|\\.)*"):\{"name"/g)].map(([, one]) =>
      JSON.parse(one!),
    )
    assert.deepEqual(names, ['items', ...ODD_KEYS].slice(1))
  })

  test('a key of objects that is no item is refused, not swallowed', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const bodies = ['__proto__', 'constructor', 'toString'].map(
      (name) => `{"station":1001,"time":"${NOON}","values":{"strain":1,"${name}":1}}`,
    )

    const response = await send(service, 'theme', key, {
      body: `{"records":[${bodies.join(',')}]}`,
    })

    assert.deepEqual(
      response.json().rejected.map(({ message }: any) => message),
      [
        'station 1001 has no item "__proto__"',
        'station 1001 has no item "constructor"',
        'station 1001 has no item "toString"',
      ],
    )
  })
})

describe('the body of a batch', () => {
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

  test('a line that is not JSON is refused by its number, and the others are kept', async () => {
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

  test('one that cannot be read is a 400 IngestError that says why', async () => {
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

  test('one that is too large is a 413, compressed small or not', async () => {
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

describe('ingestRaw', () => {
  test('raw values are kept whole, and the station has what the conversions make of them', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const response = await service.ingest('raw', key, {
      records: [raw(IDS.wire.toUpperCase(), NOON, { frequency: 1600.0375, temperature: 25.256 })],
    })

    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [] })
    // 0.004 (1600.0375² - 1500²) + 12.2 (25.256 - 20) = 1304.6032056…, rounded to 0.01
    assert.deepEqual(await readRecords(service, 1003), [
      { strain: 1304.6, temperature: 25.26, time: NOON },
    ])
    const token = await service.issueToken()
    const read = await service.post(
      '/structures/1/factors/15/stations/data?startTime=2026-03-01+12:00:00&endTime=2026-03-01+12:00:00',
      token,
      { stations: [1003] },
    )
    assert.deepEqual(read.json().raw.sensors[0].data, [
      { values: { frequency: 1600.0375, temperature: 25.256 }, time: NOON },
    ])
  })

  test('a missing input leaves its item out, and a record that gives nothing makes no record', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    await service.ingest('raw', key, {
      records: [
        raw(IDS.wire, '2026-03-01 12:00:00', { frequency: 1600 }),
        raw(IDS.wire, '2026-03-01 12:01:00', { temperature: 21 }),
      ],
    })

    assert.deepEqual(await readRecords(service, 1003), [
      { temperature: 21, time: '2026-03-01 12:01:00' },
    ])
  })

  test('the parameters hold from their validFrom on, by the record’s own time', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    await service.ingest('raw', key, {
      records: [
        raw(IDS.gauge, '2026-03-01 12:00:00', { reading: 10 }),
        raw(IDS.gauge, '2026-03-01 11:59:59', { reading: 10 }),
      ],
    })

    assert.deepEqual(await readRecords(service, 1004), [
      { strain: 31, time: '2026-03-01 12:00:00' },
      { strain: 20, time: '2026-03-01 11:59:59' },
    ])
  })

  test('sent again, the last one wins in the raw and in the derived record', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const responses = []
    for (const reading of [10, 11])
      responses.push(
        await service.ingest('raw', key, { records: [raw(IDS.gauge, NOON, { reading })] }),
      )

    assert.deepEqual(
      responses.map((response) => response.json().replaced),
      [0, 1],
    )
    assert.deepEqual(await readRecords(service, 1004), [{ strain: 34, time: NOON }])
  })

  test('each refusal is a sentence', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const cases: [unknown, string][] = [
      [null, 'a record must be {sensor, time, values}'],
      [raw(7, NOON, {}), 'sensor 7 is not known'],
      [raw('x', NOON, {}), 'sensor "x" is not known'],
      [raw(IDS.wire, 'x', { frequency: 1 }), 'time must be'],
      [raw(IDS.wire, NOON, { reading: 1 }), 'sensor VW-01 has no item "reading"'],
      [raw(IDS.logger, NOON, { reading: 1 }), 'sensor DTU-1 has no item "reading"'],
      [raw(IDS.wire, NOON, {}), 'values holds no value'],
    ]

    const response = await service.ingest('raw', key, { records: cases.map(([record]) => record) })

    assert.equal(response.json().accepted, 0)
    for (const [index, [, message]] of cases.entries())
      assert.ok(response.json().rejected[index].message.startsWith(message), message)
  })
})

describe('ingestTraffic', () => {
  const vehicle = {
    structure: 1,
    time: NOON,
    lane: '2',
    direction: 0,
    axleCount: 2,
    load: 2.3,
  }

  test('what is left out, or null, is an empty plate, no axle text and no overload', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const nulls = { license: null, axleLoad: null, overload: null, id: null }

    const response = await service.ingest('traffic', key, {
      records: [vehicle, { ...vehicle, ...nulls }],
    })

    assert.deepEqual(response.json(), { accepted: 2, replaced: 1, rejected: [] })
    assert.deepEqual(await readVehicles(service), [
      {
        license: '',
        time: NOON,
        lane: '2',
        direction: 0,
        axleCount: 2,
        load: 2.3,
        axleLoad: '',
        overload: false,
      },
    ])
  })

  test('an exact repeat is stored once, another vehicle of the same second beside it', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const response = await service.ingest('traffic', key, {
      records: [vehicle, { ...vehicle, lane: 1 }, vehicle, { ...vehicle, speed: 67 }],
    })

    assert.deepEqual(response.json(), { accepted: 4, replaced: 1, rejected: [] })
    assert.deepEqual((await readVehicles(service)).map(({ lane }) => lane).toSorted(), [
      '1',
      '2',
      '2',
    ])
  })

  test('a record with an id replaces the earlier one of that id', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const response = await service.ingest('traffic', key, {
      records: [
        { ...vehicle, id: 'wim-1', license: 'A' },
        { ...vehicle, id: 'wim-2', license: 'B' },
        { ...vehicle, id: 'wim-1', license: 'C' },
      ],
    })

    assert.deepEqual(response.json(), { accepted: 3, replaced: 1, rejected: [] })
    const plates = (await readVehicles(service)).map(({ license }) => license)
    assert.deepEqual(plates.toSorted(), ['B', 'C'])
  })

  test('each refusal is a sentence, and none repeats a plate', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const cases: [unknown, string][] = [
      [null, 'a record must be {structure, time, lane, direction, axleCount, load, …}'],
      [{ ...vehicle, structure: 99 }, 'structure 99 is not known'],
      [{ ...vehicle, time: 'x' }, 'time must be'],
      [{ ...vehicle, id: 1.5 }, 'id must be text or a whole number'],
      [{ ...vehicle, license: 4711 }, 'license must be text of at most 64 characters'],
      [{ ...vehicle, license: 'P'.repeat(65) }, 'license must be text of at most 64 characters'],
      [{ ...vehicle, lane: undefined }, 'lane must be text of at most 64 characters'],
      [{ ...vehicle, direction: 2 }, 'direction must be 0 (toward the bridge) or 1 (away from it)'],
      [{ ...vehicle, axleCount: 1.5 }, 'axleCount must be a whole number from 0 to 1000'],
      [{ ...vehicle, load: '2' }, 'load must be a finite number'],
      [{ ...vehicle, axleLoad: [1] }, 'axleLoad must be text of at most 64 characters'],
      [{ ...vehicle, overload: 1 }, 'overload must be true or false'],
    ]

    const response = await service.ingest('traffic', key, {
      records: cases.map(([record]) => record),
    })

    assert.equal(response.json().accepted, 0)
    for (const [index, [, message]] of cases.entries())
      assert.ok(
        response.json().rejected[index].message.startsWith(message),
        response.json().rejected[index].message,
      )
    assert.ok(!response.text.includes('PPP') && !response.text.includes('4711'))
  })
})

describe('ingestVibration', () => {
  const batch = {
    station: 1031,
    collectTime: NOON,
    sampleFreq: 100,
    unit: 'cm/s2',
    samples: [1, -3.5, 2],
  }

  test('the batch’s theme record carries the signed peak, peak to peak and RMS', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    const response = await service.ingest('vibration', key, batch)

    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [] })
    // √((1 + 12.25 + 4) / 3) = 2.39792…
    assert.deepEqual(await readRecords(service, 1031), [
      { pv: -3.5, ppv: 5.5, trms: 2.3979, time: NOON },
    ])
  })

  test('sent again, the last one wins whole', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()

    await service.ingest('vibration', key, batch)
    const response = await service.ingest('vibration', key, { ...batch, samples: [7] })

    assert.deepEqual(response.json(), { accepted: 1, replaced: 1, rejected: [] })
    const token = await service.issueToken()
    const read = await service.get(
      '/stations/1031/vibration/raw?collectTime=2026-03-01+12:00:00',
      token,
    )
    assert.deepEqual(read.json().data, [{ value: '7', time: '1' }])
    assert.deepEqual(await readRecords(service, 1031), [{ pv: 7, ppv: 0, trms: 7, time: NOON }])
  })

  test('a single one that is refused is a 400; among lines it is named', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const cases: [unknown, string][] = [
      [null, 'a batch must be {station, collectTime, sampleFreq, unit, samples}'],
      [{ ...batch, station: 99 }, 'station 99 is not known'],
      [{ ...batch, collectTime: 'x' }, 'collectTime must be'],
      [{ ...batch, sampleFreq: 0 }, 'sampleFreq must be a number of Hz up to 10000000'],
      [{ ...batch, sampleFreq: 'fast' }, 'sampleFreq must be a number of Hz up to 10000000'],
      [{ ...batch, unit: 1 }, 'unit must be text of at most 64 characters'],
      [{ ...batch, samples: [] }, 'samples must be a list of at least one number'],
      [{ ...batch, samples: '1,2' }, 'samples must be a list of at least one number'],
      [{ ...batch, samples: [1, null] }, 'samples[1] must be a finite number'],
    ]

    const lines = [batch, ...cases.map(([one]) => one)].map((one) => JSON.stringify(one)).join('\n')
    const many = await send(service, 'vibration', key, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines,
    })

    assert.equal(many.json().accepted, 1)
    for (const [index, [body, message]] of cases.entries()) {
      const rejected = many.json().rejected[index]
      assert.equal(rejected.index, index + 1)
      assert.ok(rejected.message.startsWith(message), rejected.message)
      const single = await service.ingest('vibration', key, body)
      assert.deepEqual([single.status, single.json().name], [400, 'IngestError'])
      assert.ok(
        single.json().message.startsWith(`The vibration batch could not be stored: ${message}`),
        single.json().message,
      )
    }
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

  test('names bad points by their lines, keeps them, and stores the others', async () => {
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

  test('takes the key as Telegraf and other clients of InfluxDB send it', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const basic = Buffer.from(`telegraf:${key}`).toString('base64')
    const ways: Call[] = [
      { headers: { authorization: `Bearer ${key}` } },
      { headers: { authorization: `Token ${key}` } },
      { headers: { authorization: `Token telegraf:${key}` } },
      { headers: { authorization: `Basic ${basic}` } },
      { query: `?precision=s&u=telegraf&p=${key}` },
    ]

    for (const way of ways)
      assert.equal(
        (await post(service, line('temperature=1'), way)).status,
        200,
        JSON.stringify(way),
      )
    for (const way of ways) {
      const text = JSON.stringify(way)
      const wrong = text.includes(basic)
        ? text.replace(basic, Buffer.from('telegraf:wrong').toString('base64'))
        : text.replace(key, 'wrong')
      assert.equal((await post(service, 'm f=1', JSON.parse(wrong) as Call)).status, 401, wrong)
    }
    assert.ok(!service.logged.join('').includes(key))
  })

  test('takes gzip, and whatever media type a sender names', async () => {
    await using service = await withService({ site: SITE })
    const headers = { ...bearer(await service.createKey()), 'content-encoding': 'gzip' }

    for (const type of ['text/plain', 'application/octet-stream', 'plain/text']) {
      const body = gzipSync(line('temperature=1'))
      const response = await post(service, body, { headers: { ...headers, 'content-type': type } })
      assert.equal(response.json().accepted, 1, type)
    }
  })

  test('a precision there is not is a 400 that names the four', async () => {
    await using service = await withService({ site: SITE })
    const headers = bearer(await service.createKey())

    const response = await post(service, line('temperature=1'), { query: '?precision=h', headers })

    assert.equal(response.status, 400)
    assert.match(response.json().message, /"precision" must be .*ns.*us.*ms.*s/)
  })

  test('reads sensors and items where the settings say', async () => {
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
})
