import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { runs } from '../_random.ts'
import { SITE } from '../_site.ts'
import { withService, type TestService } from '../_service.ts'

const STATION = 1031

let service: TestService
let token: string
let key: string
/** Every test has a day of its own. */
let day = ''
let days = 0

before(async () => {
  service = await withService({ site: SITE })
  token = await service.issueToken()
  key = await service.createKey()
})

beforeEach(() => {
  day = new Date(Date.UTC(2024, 0, ++days)).toISOString().slice(0, 10)
})

after(() => service[Symbol.asyncDispose]())

const bytesOf = (samples: Float32Array | Float64Array) => new Uint8Array(samples.buffer.slice(0))

const send = (parameters: Record<string, string>, body: Uint8Array) => {
  const batch = { station: String(STATION), sampleFreq: '200', unit: 'cm/s2', encoding: 'float32' }
  const given = { ...batch, collectTime: `${day} 12:00:00`, ...parameters }
  const filled = Object.entries(given).filter(([, value]) => value !== '')
  return service.call(`/ingest/v1/vibration?${new URLSearchParams(filled)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
    body,
  })
}

const sendJson = (members: object) =>
  service.ingest('vibration', key, {
    station: STATION,
    collectTime: `${day} 12:00:00`,
    sampleFreq: 200,
    unit: 'cm/s2',
    samples: [1],
    ...members,
  })

const read = async (clock = '12:00:00') => {
  const query = new URLSearchParams({ collectTime: `${day} ${clock}` })
  return (await service.get(`/stations/${STATION}/vibration/raw?${query}`, token)).json()
}

const valuesOf = ({ data }: { data: { value: string }[] }) => data.map(({ value }) => Number(value))

const themeOf = async (): Promise<any[]> => {
  const query = new URLSearchParams({
    stations: String(STATION),
    startTime: `${day} 00:00:00`,
    endTime: `${day} 23:59:59`,
  })
  return (await service.get(`/stations/theme/data?${query}`, token)).json().stations[0].data
}

const countBatches = async () =>
  (await service.storage.waveforms.list({ station: STATION, from: 0, to: 9e15, limit: 9_999 }))
    .length

describe('bare samples', () => {
  test('of single precision come back as the same numbers', async () => {
    const single = fc.float({ noNaN: true, noDefaultInfinity: true })
    const property = fc.asyncProperty(
      fc.array(single, { minLength: 1, maxLength: 600 }),
      async (samples) => {
        const response = await send({}, bytesOf(Float32Array.from(samples)))

        assert.equal(response.status, 200, response.text)
        const { config, ...rest } = await read()
        assert.deepEqual(config, { unit: 'cm/s2', sampleFreq: '200', count: samples.length })
        // Text does not distinguish 0 from -0.
        assert.deepEqual(
          valuesOf(rest),
          samples.map((sample) => sample + 0),
        )
      },
    )
    await fc.assert(property, { numRuns: runs(20) })
  })

  test('of double precision too, and their theme record is there with them', async () => {
    const samples = [0.1, -1e-300, 1 / 3, 5e9]

    const response = await send({ encoding: 'float64' }, bytesOf(Float64Array.from(samples)))

    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [] })
    assert.deepEqual(valuesOf(await read()), samples)
    assert.deepEqual(
      (await themeOf()).map(({ pv, time }) => [pv, time]),
      [[5e9, `${day} 12:00:00`]],
    )
  })

  test('may be timed by epoch milliseconds, and counted', async () => {
    const time = Date.parse(`${day}T04:00:00.250Z`)

    const response = await send(
      { collectTime: String(time), count: '2' },
      bytesOf(Float32Array.of(1, 2)),
    )

    assert.equal(response.status, 200, response.text)
    assert.deepEqual(valuesOf(await read()), [1, 2])
  })

  const bytes = bytesOf(Float32Array.of(1, 2, 3))
  for (const [what, parameters, body, reason] of [
    ['cut short', {}, bytes.subarray(0, 11), /has 11 bytes, which is no whole number of float32/],
    ['of another width', { encoding: 'float64' }, bytes, /12 bytes, .* float64 samples of 8 bytes/],
    ['fewer than announced', { count: '4' }, bytes, /holds 3 samples, "count" says "4"/],
    ['none at all', {}, new Uint8Array(), /the body is empty, expected samples/],
    ['without an encoding', { encoding: '' }, bytes, /"encoding" must be float32 or float64/],
    ['of a strange encoding', { encoding: 'int16' }, bytes, /"encoding" must be .* not "int16"/],
    ['of a strange encoding', { encoding: 'constructor' }, bytes, /"encoding" must be/],
    ['with NaN', {}, bytesOf(Float32Array.of(1, NaN, 3)), /samples\[1\] must be a finite number/],
    ['infinite', {}, bytesOf(Float32Array.of(1, 2, Infinity)), /samples\[2\] must be a finite/],
    ['without a station', { station: '' }, bytes, /station nothing is not known/],
    ['of an unknown station', { station: '9' }, bytes, /station 9 is not known/],
    ['at no rate', { sampleFreq: '0' }, bytes, /sampleFreq must be a number of Hz/],
    ['at an absurd rate', { sampleFreq: '1e12' }, bytes, /sampleFreq must be a number of Hz/],
    ['at a rate that is none', { sampleFreq: 'fast' }, bytes, /sampleFreq must be a number of Hz/],
    ['without a rate', { sampleFreq: '' }, bytes, /sampleFreq must be a number of Hz/],
    ['without a unit', { unit: '' }, bytes, /unit must be text/],
    ['without a time', { collectTime: '' }, bytes, /collectTime must be a local date/],
    [
      'of tomorrow’s tomorrow',
      { collectTime: '2999-01-01 00:00:00' },
      bytes,
      /collectTime 2999-01-01 00:00:00 is more than one day ahead of/,
    ],
  ] as const)
    test(`${what}: a 400 with a sentence, and nothing is stored`, async () => {
      const before = await countBatches()

      const response = await send(parameters, body)

      assert.equal(response.status, 400)
      assert.equal(response.json().name, 'IngestError')
      assert.match(response.json().message, /^The vibration batch could not be stored: /)
      assert.match(response.json().message, reason)
      assert.equal(await countBatches(), before)
      assert.deepEqual(await themeOf(), [])
    })

  test('declared as JSON, and JSON declared as bare samples, are refused', async () => {
    const asJson = await service.call('/ingest/v1/vibration', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: bytes,
    })
    const asBytes = await send({ encoding: 'float64' }, Buffer.from('{"station": 1031}'))

    assert.deepEqual([asJson.status, asBytes.status], [400, 400])
    assert.match(asJson.json().message, /the body is not JSON/)
    assert.deepEqual(await themeOf(), [])
  })
})

describe('a trigger between two seconds', () => {
  test('is stored with its exact instant, and served with its second', async () => {
    await sendJson({ collectTime: `${day} 12:00:00.123456789`, samples: [7] })

    const from = Date.parse(`${day}T04:00:00Z`)
    const header = await service.storage.waveforms.find(STATION, from, from)
    assert.deepEqual(header?.trigger, { time: from + 123, nanoseconds: 456_789 })
    assert.deepEqual(valuesOf(await read()), [7])
    assert.deepEqual(
      (await themeOf()).map(({ time }) => time),
      [`${day} 12:00:00`],
    )
  })

  test('two in one second are told apart by their theme records, which find their waveforms', async () => {
    await sendJson({ collectTime: `${day} 12:00:00.9`, samples: [1, -9] })
    await sendJson({ collectTime: `${day} 12:00:00.1`, samples: [2] })
    await sendJson({ collectTime: `${day} 12:00:00.900000001`, samples: [3] })

    const records = await themeOf()

    assert.deepEqual(
      records.map(({ time, pv }) => [time.slice(11), pv]),
      [
        ['12:00:00', -9],
        ['12:00:01', 2],
        ['12:00:02', 3],
      ],
    )
    const waves = await Promise.all(records.map(({ time }) => read(time.slice(11))))
    assert.deepEqual(waves.map(valuesOf), [[1, -9], [2], [3]])
  })

  test('sent again, a batch takes the place of the first and keeps its second', async () => {
    await sendJson({ collectTime: `${day} 12:00:00.9`, samples: [1] })
    await sendJson({ collectTime: `${day} 12:00:00.1`, samples: [2] })

    const again = await sendJson({ collectTime: `${day} 12:00:00.100000`, samples: [4] })

    assert.deepEqual(again.json(), { accepted: 1, replaced: 1, rejected: [] })
    assert.deepEqual(
      (await themeOf()).map(({ pv }) => pv),
      [1, 4],
    )
    assert.deepEqual(valuesOf(await read('12:00:01')), [4])
  })
})

const line = (at: string, members: object) =>
  JSON.stringify({
    station: STATION,
    collectTime: `${day} ${at}`,
    sampleFreq: 1,
    unit: '',
    ...members,
  })

describe('waveforms among lines', () => {
  test('an invalid one is named, and valid ones are stored', async () => {
    const body = [
      line('12:00:00', { samples: [1] }),
      line('12:00:01', { samples: [] }),
      // Peak to peak of these is more than any double.
      line('12:00:02', { samples: [1.7e308, -1.7e308] }),
      line('12:00:03', { samples: [3] }),
    ].join('\n')

    const response = await service.call('/ingest/v1/vibration', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      body,
    })

    assert.deepEqual(response.json(), {
      accepted: 3,
      replaced: 0,
      rejected: [{ index: 1, message: 'samples must be a list of at least one number' }],
    })
    assert.deepEqual(valuesOf(await read('12:00:02')), [1.7e308, -1.7e308])
    assert.deepEqual(valuesOf(await read('12:00:03')), [3])
  })
})

const getCached = (way: string, encoding: string) =>
  service.get(
    `/stations/${STATION}/vibration/${way}?${new URLSearchParams({ collectTime: `${day} 12:00:00` })}`,
    token,
    { 'accept-encoding': encoding },
  )

describe('a damaged waveform', () => {
  test('is never served: the response is a 500, and the log names the damage', async () => {
    await sendJson({ samples: [1, 2, 3] })
    const database = new Sqlite(join(service.folder, 'plumbline.db'))
    database.exec(`update waveform_chunks set samples = zeroblob(12)
      where id = (select max(id) from waveform_chunks)`)
    database.close()
    const query = new URLSearchParams({ collectTime: `${day} 12:00:00` })

    for (const way of ['raw', 'fft']) {
      const response = await service.get(`/stations/${STATION}/vibration/${way}?${query}`, token)

      assert.equal(response.status, 500)
      assert.equal(response.json().name, 'ServerError')
    }
    assert.match(service.logged.join(''), /samples 1 and later are damaged/)
  })
})

describe('a repeated request', () => {
  for (const way of ['raw', 'fft'] as const)
    test(`${way} is the same from the cache, plain and with gzip, until the waveform changes`, async () => {
      const samples = Float32Array.from({ length: 30_000 }, (_, n) => Math.sin(n * n))
      await send({}, bytesOf(samples))
      const plain = [
        await getCached(way, 'identity'),
        await getCached(way, 'identity'),
        await getCached(way, 'identity'),
      ]
      const zipped = [
        await getCached(way, 'gzip'),
        await getCached(way, 'gzip'),
        await getCached(way, 'gzip'),
      ]
      await send({}, bytesOf(samples.map((sample) => 2 * sample)))
      const other = await getCached(way, 'identity')

      for (const response of [...plain, ...zipped]) assert.equal(response.text, plain[0]!.text)
      assert.ok(zipped.every(({ headers }) => headers['content-encoding'] === 'gzip'))
      assert.notEqual(other.text, plain[0]!.text)
      assert.equal(other.json().config.count, 30_000)
    })
})
