import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { readFile } from '../../src/ingest/waveforms/read-file.ts'
import { SITE } from '../_site.ts'
import { withTracking } from '../_tracking-site.ts'
import { withService, type TestService } from '../_service.ts'

/** Larger bodies are read in a thread. */
const LARGE_BYTES = 256 * 1024

const ONE = 1031
const TWO = 1032
const MODES = 1051
const OTHER_MODES = 1052

/** Two stations with waveforms, and one for each that tracks them. */
const WAVES = withTracking(
  [
    { id: MODES, waveforms: ONE },
    { id: OTHER_MODES, waveforms: TWO },
  ],
  SITE.replace(
    '[{ id: 1031, name: A-01 }]',
    '[{ id: 1031, name: A-01 }, { id: 1032, name: A-02 }]',
  ),
)

const SAMPLE_HZ = 100
const POINTS = 120_000
/** A sine in something like noise, as singles and as doubles that no single holds. */
const SINGLES = Float32Array.from(
  { length: POINTS },
  (_, n) => Math.sin((2 * Math.PI * 3 * n) / SAMPLE_HZ) + ((n * 7_919) % 1_000) / 2_000,
)
const DOUBLES = Float64Array.from(SINGLES, (sample) => sample / 3)

let service: TestService
let token: string
let key: string

before(async () => {
  service = await withService({
    site: WAVES,
    settings: { 'http.maxBodyMegabytes': 8, 'http.maxInflationRatio': 1032 },
  })
  token = await service.issueToken()
  key = await service.createKey()
})

after(() => service[Symbol.asyncDispose]())

beforeEach(async () => {
  for (const kind of ['vibration', 'theme'] as const)
    for (const source of [ONE, TWO, MODES, OTHER_MODES])
      for (let isDone = false; !isDone;)
        ({ isDone } = await service.storage.retention.expire({
          kind,
          source,
          before: 9e15,
          limit: 9_000,
        }))
})

const headers = () => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/octet-stream',
})

const send = (
  parameters: Record<string, string | number>,
  body: Uint8Array,
  further: Record<string, string> = {},
) => {
  const query = new URLSearchParams(
    Object.entries(parameters).map(([name, value]) => [name, String(value)]),
  )
  return service.call(`/ingest/v1/vibration?${query}`, {
    method: 'POST',
    headers: { ...headers(), ...further },
    body,
  })
}

/** A request for samples of station ONE, of which nothing is sent yet. */
function startSending(further: Record<string, string>) {
  const samplesOf = { encoding: 'float64', station: String(ONE), ...headerOf, sampleFreq: '100' }
  return request(
    `${service.service.origin}/ingest/v1/vibration?${new URLSearchParams(samplesOf)}`,
    {
      method: 'POST',
      headers: { ...headers(), ...further },
      ca: service.certificate,
    },
  )
}

const bytesOf = ({ buffer }: Float32Array | Float64Array) => new Uint8Array(buffer as ArrayBuffer)

const headerOf = { collectTime: '2026-03-01 12:00:00.250', sampleFreq: SAMPLE_HZ, unit: 'cm/s2' }

/** All that is stored of a station's one batch, and the records that follow from it. */
async function storedOf(station: number, modes: number) {
  const list = await service.storage.waveforms.list({ station, from: 0, to: 9e15, limit: 9 })
  const samples: number[] = []
  for (const batch of list)
    for await (const chunk of service.storage.waveforms.readSamples(batch))
      for (const sample of chunk) samples.push(sample)
  const batches = list.map(({ id: _id, station: _station, ...batch }) => batch)
  const query = `/stations/theme/data?stations=${station},${modes}&limit=9`
  const records = (await service.get(query, token)).json().stations.map(({ data }: any) => data)
  return { batches, samples, records }
}

const csvOf = (samples: Iterable<number>, ...end: string[]) =>
  Buffer.from(['a [cm/s2]', ...Array.from(samples, String), ...end, ''].join('\n'))

const CSV = { format: 'CSV', sampleFreq: SAMPLE_HZ, collectTime: headerOf.collectTime }

/** Line 120,002 is no number. */
const BROKEN = csvOf(SINGLES, 'x')

const sentenceOf = (body: Uint8Array): string => {
  try {
    readFile(body, { channels: [], options: { csv: { sampleHz: SAMPLE_HZ } } })
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('the file is sound')
}

describe('a large body', () => {
  for (const [encoding, samples] of [
    ['float32', SINGLES],
    ['float64', DOUBLES],
  ] as const)
    test(`of ${encoding} samples stores what a list of the same numbers does`, async () => {
      const bytes = bytesOf(samples)
      await service.ingest('vibration', key, { station: ONE, ...headerOf, samples: [...samples] })

      const response = await send({ encoding, station: TWO, ...headerOf }, bytes)

      assert.ok(bytes.length > LARGE_BYTES)
      assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [] })
      const stored = await storedOf(TWO, OTHER_MODES)
      assert.deepEqual(stored, await storedOf(ONE, MODES))
      assert.deepEqual(stored.samples, [...samples])
      assert.ok(Math.abs(stored.records[1][0].f1 - 3) < 0.01)
    })

  test('that is a file stores what a list of the same numbers does', async () => {
    const file = csvOf(DOUBLES)
    await service.ingest('vibration', key, { station: ONE, ...headerOf, samples: [...DOUBLES] })

    const response = await send({ ...CSV, station: TWO }, file)

    assert.ok(file.length > LARGE_BYTES)
    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [], unmapped: [] })
    assert.deepEqual(await storedOf(TWO, OTHER_MODES), await storedOf(ONE, MODES))
  })

  test('that is a small file with blank lines behind it stores what the small one does', async () => {
    const rows = Array.from({ length: 50 }, (_, n) => `2026-03-01 12:00:00.${n + 10}0;${n}`)
    const small = Buffer.from(['t;a [cm/s2]', ...rows, ''].join('\n'))
    const large = Buffer.concat([small, Buffer.alloc(1_000_000, '\n')])
    const samplesOf = { format: 'CSV', timeColumn: 't', delimiter: ';' }
    await send({ ...samplesOf, station: ONE }, small)

    const response = await send({ ...samplesOf, station: TWO }, large)

    assert.ok(small.length < LARGE_BYTES && large.length > LARGE_BYTES)
    assert.equal(response.json().accepted, 1, response.text)
    const stored = await storedOf(TWO, OTHER_MODES)
    assert.deepEqual(stored, await storedOf(ONE, MODES))
    assert.equal(stored.samples.length, 50)
  })

  test('may be compressed and without a length', async () => {
    const body = gzipSync(bytesOf(DOUBLES))
    const gzip = { 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' }

    const response = await send({ encoding: 'float64', station: ONE, ...headerOf }, body, gzip)

    assert.equal(response.status, 200, response.text)
    const { samples } = await storedOf(ONE, MODES)
    assert.equal(samples.length, POINTS)
    assert.deepEqual(samples, [...DOUBLES])
  })

  test('that is broken is refused with the error of its reader, and nothing is stored', async () => {
    const response = await send({ ...CSV, station: ONE }, BROKEN)

    assert.ok(BROKEN.length > LARGE_BYTES)
    assert.equal(response.status, 400)
    assert.equal(
      response.json().message,
      `The vibration batch could not be stored: ${sentenceOf(BROKEN)}.`,
    )
    assert.match(sentenceOf(BROKEN), /^line 120002, column 1: "x"/)
    assert.deepEqual((await storedOf(ONE, MODES)).batches, [])
  })

  test('with a sample that is no number is refused by its place', async () => {
    const samples = DOUBLES.with(70_000, NaN)

    const response = await send(
      { encoding: 'float64', station: ONE, ...headerOf },
      bytesOf(samples),
    )

    assert.equal(response.status, 400)
    assert.equal(
      response.json().message,
      'The vibration batch could not be stored: samples[70000] must be a finite number.',
    )
  })

  test('is stored beside concurrent ones, one of them broken', async () => {
    const bodies = [1, 2, 3].map((second) => {
      const samplesOf = { ...headerOf, collectTime: `2026-03-01 12:00:0${second}` }
      return send({ encoding: 'float32', station: ONE, ...samplesOf }, bytesOf(SINGLES))
    })

    const responses = await Promise.all([...bodies, send({ ...CSV, station: ONE }, BROKEN)])

    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200, 400],
    )
    assert.equal((await storedOf(ONE, MODES)).batches.length, 3)
  })

  test('beyond the limit is a 413, stated or not, compressed small or not', async () => {
    const large = Buffer.alloc(8 * 2 ** 20 + 8)
    const samplesOf = { encoding: 'float64', station: ONE, ...headerOf }

    for (const [body, further] of [
      [large, {}],
      [large, { 'transfer-encoding': 'chunked' }],
      [gzipSync(large), { 'content-encoding': 'gzip' }],
    ] as const) {
      const response = await send(samplesOf, body, further)

      assert.equal(response.status, 413)
      assert.match(
        response.json().message,
        /^The body is larger than this service accepts: at most /,
      )
    }
  })

  test('with a stated length beyond the limit is a 413 before it is sent', async () => {
    const sent = startSending({ 'content-length': String(2 ** 42) })
    sent.write(Buffer.alloc(8))

    const [response] = await once(sent, 'response')

    assert.equal(response.statusCode, 413)
    sent.destroy()
  })

  test('that breaks off stores nothing', async () => {
    const sent = startSending({ 'content-length': String(8 * POINTS) })
    const lost = once(sent, 'error')
    for (let part = 0; part < 4; part++) {
      sent.write(bytesOf(DOUBLES).subarray(part * POINTS, (part + 1) * POINTS))
      await setImmediate()
    }
    sent.destroy(new Error('the line broke'))
    await lost

    const whole = await send({ encoding: 'float64', station: TWO, ...headerOf }, bytesOf(DOUBLES))

    assert.equal(whole.status, 200)
    assert.deepEqual((await storedOf(ONE, MODES)).batches, [])
  })

  test('that is not what its encoding says is a 400', async () => {
    const samplesOf = { encoding: 'float64', station: ONE, ...headerOf }

    const response = await send(samplesOf, bytesOf(DOUBLES), { 'content-encoding': 'gzip' })

    assert.equal(response.status, 400)
    assert.equal(
      response.json().message,
      'The vibration batch could not be stored: the body is not gzip, though Content-Encoding says so, or is damaged.',
    )
  })
})

test('others get responses while a large file is read', async () => {
  const agent = new Agent({ keepAlive: true, ca: service.certificate })
  const newest = () =>
    service.call(`/api/v1/stations/theme/data?stations=${ONE}&limit=1&token=${token}`, { agent })
  await newest()
  let isResponded = false
  const query = new URLSearchParams({ ...CSV, sampleFreq: '100', station: String(ONE) })
  const sent = request(`${service.service.origin}/ingest/v1/vibration?${query}`, {
    method: 'POST',
    headers: headers(),
    ca: service.certificate,
  })
  const responded = once(sent, 'response').then(() => (isResponded = true))
  // All but the last byte: what is left to do is to read the file.
  sent.write(BROKEN.subarray(0, -1))
  for (let turn = 0; turn < 1_000; turn++) await setImmediate()
  sent.end(BROKEN.subarray(-1))

  await newest()
  await newest()

  assert.equal(isResponded, false)
  await responded
  agent.destroy()
})
