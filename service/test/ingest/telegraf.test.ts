import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { withService, type TestService } from '../_service.ts'
import { IDS, SITE } from '../_site.ts'

const PAGE = await readFile(new URL('../../../docs/ingest.md', import.meta.url), 'utf8')

/** The settings of Telegraf that the page shows. */
const TELEGRAF = /```toml\n([^]+?)```/.exec(PAGE)![1]!

const NOON = Date.UTC(2026, 2, 1, 12)

/** The line of a setting, without its name. */
function setting(name: string): string {
  const [, value] = new RegExp(`^ *${name} = (.+)$`, 'm').exec(TELEGRAF) ?? []
  if (value === undefined) throw new Error(`the page does not set ${name}`)
  return value
}

const text = (name: string): string => JSON.parse(setting(name)) as string

/**
 * Sends metrics as `outputs.http` of Telegraf 1.30 does with these settings: packed on the way, so in
 * chunks of a length nobody knows before.
 */
async function sendAsTelegraf(
  service: TestService,
  { key, body }: { key: string; body: string | Uint8Array },
) {
  return service.call(new URL(text('url')).pathname, {
    method: 'POST',
    headers: {
      'user-agent': 'Telegraf/1.30.0 Go/1.22.1',
      'transfer-encoding': 'chunked',
      'accept-encoding': 'gzip',
      'content-encoding': text('content_encoding'),
      authorization: text('Authorization').replace('${PLUMBLINE_KEY}', key),
      'content-type': text('Content-Type'),
    },
    body: typeof body === 'string' ? gzipSync(body) : body,
  })
}

/** A metric as its serializer writes it: tags by name, nanoseconds. */
const metric = (fields: string, second: number): string =>
  `gauge,sensor=${text('sensor')} ${fields} ${NOON + second * 1000}000000\n`

async function readTemperatures(service: TestService): Promise<number[]> {
  const response = await service.get(
    '/stations/theme/data?stations=1003&limit=100',
    await service.issueToken(),
  )
  return response.json().stations[0].data.map(({ temperature }: any) => temperature)
}

describe('Telegraf with the settings of docs/ingest.md', () => {
  test('stores its metrics, also when they are sent twice', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const body = [0, 10, 20, 30]
      .map((second) => metric(`frequency=1612i,temperature=${second + 0.5}`, second))
      .join('')

    const first = await sendAsTelegraf(service, { key, body })
    const again = await sendAsTelegraf(service, { key, body })

    assert.equal(text('sensor'), IDS.wire)
    assert.equal(text('data_format'), 'influx')
    assert.deepEqual(
      [first.status, first.json()],
      [200, { accepted: 4, replaced: 0, rejected: [] }],
    )
    assert.deepEqual([again.status, again.json().replaced], [200, 4])
    assert.deepEqual(await readTemperatures(service), [30.5, 20.5, 10.5, 0.5])
  })

  test('does not resend metrics that are rejected, and they are kept', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const bad = ['status="ok"', 'temperature=true', 'nothing=1'].map((fields) => metric(fields, 10))

    const mixed = await sendAsTelegraf(service, {
      key,
      body: [metric('temperature=1', 0), ...bad, metric('temperature=2', 20)].join(''),
    })
    const allBad = await sendAsTelegraf(service, { key, body: bad.join('') })

    assert.deepEqual([mixed.status, mixed.json().accepted], [200, 2])
    assert.deepEqual([allBad.status, allBad.json().accepted], [200, 0])
    assert.deepEqual(await readTemperatures(service), [2, 1])
    assert.deepEqual(await service.storage.rejects.count(), [
      { origin: 'influx', kept: 6, dropped: 0 },
    ])
  })

  test('drops a body that is too large, in bytes or in points', async () => {
    await using service = await withService({
      site: SITE,
      settings: { 'http.maxBodyMegabytes': 1 },
    })
    const key = await service.createKey()
    const given = JSON.parse(setting('non_retryable_statuscodes')) as number[]

    const bomb = await sendAsTelegraf(service, { key, body: gzipSync(Buffer.alloc(2 ** 27)) })
    const many = await sendAsTelegraf(service, { key, body: 'm f=1\n'.repeat(100_001) })

    assert.deepEqual(
      [bomb, many].map(({ status, text: body }) => [status, JSON.parse(body).message]),
      [
        [
          413,
          'The body is larger than this service accepts: at most 1048576 bytes, decompressed (http.maxBodyMegabytes).',
        ],
        [413, 'A body holds at most 100000 points.'],
      ],
    )
    assert.deepEqual(given, [413])
  })

  test('resends metrics after an error of the settings or of the service', async () => {
    await using service = await withService({ site: SITE })
    const key = await service.createKey()
    const whole = gzipSync(metric('temperature=1', 0).repeat(20))
    const damaged = Buffer.from(whole)
    damaged[damaged.length - 6]! ^= 1
    const { RefusedError } = await import('../../src/errors/refused-error.ts')

    const responses = await Promise.all(
      [Buffer.from(metric('temperature=1', 0)), damaged, whole.subarray(0, 40)].map((body) =>
        sendAsTelegraf(service, { key, body }),
      ),
    )
    const stranger = await sendAsTelegraf(service, { key: 'plk_wrong', body: whole })
    service.storage.records.write = () =>
      Promise.reject(new RefusedError('unavailable', 'the disk is full'))
    const full = await sendAsTelegraf(service, { key, body: whole })

    const words = 'Points could not be stored: '
    const notGzip = `${words}the body is not gzip, though Content-Encoding says so, or is damaged.`
    assert.deepEqual(
      responses.map(({ status, text: body }) => [status, JSON.parse(body).message]),
      [
        [400, notGzip],
        [400, notGzip],
        [400, `${words}the gzip data of the body is not complete.`],
      ],
    )
    assert.deepEqual([stranger.status, full.status], [401, 503])
  })
})
